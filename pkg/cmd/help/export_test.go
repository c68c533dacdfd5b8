package help

// FlagsOfPurposes are all flags that have a purpose, and other that of those that have
// none.
func FlagsOfPurposes() (names []string, none string) {
	for _, purpose := range purposes() {
		names = append(names, purpose.flags...)
	}
	return names, other
}
