package fgraph_test

import (
	"testing"

	"github.com/functap/functap/internal/testutils"
)

func TestMain(m *testing.M) { testutils.Main(m) }
