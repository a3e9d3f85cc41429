package symbols

func (m *Module) debugSymtab() *symTable { return nil }
