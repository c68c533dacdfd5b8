package cache

// Union is all the columns of rows whose own differ, each of them once, and in the order
// in which they came first.
type Union[Column comparable] struct{ All []Column }

// Add makes the columns of rows a part of it, and returns where among all each is. A row
// that has a column twice has it in two places.
func (u *Union[Column]) Add(columns []Column) (places []int) {
	taken := map[int]bool{}
	for _, column := range columns {
		at := 0
		for at < len(u.All) && (u.All[at] != column || taken[at]) {
			at++
		}
		if at == len(u.All) {
			u.All = append(u.All, column)
		}
		taken[at], places = true, append(places, at)
	}
	return places
}
