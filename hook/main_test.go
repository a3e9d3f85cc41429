package hook

import (
	"os"
	"testing"

	"github.com/functap/functap/internal/testutils"
)

func TestMain(m *testing.M) { testutils.Main(m) }

// longTests: the forms for before a release are wanted.
func longTests() bool { return os.Getenv("FUNCTAP_LONG") != "" }
