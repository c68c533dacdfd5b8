// Package english keeps kubectl's library from loading its translations, of which the
// plugin shows none: all that it says itself is English. Loaded, they take half of the
// CPU time of a short command.
package english

import "k8s.io/kubectl/pkg/util/i18n"

// This has to be in force before the packages of kubectl translate their texts, which
// they do as they are initialized. It is: of the packages whose imports have been
// initialized, Go takes the one next whose path sorts first, and this path does.
var _ = i18n.SetLoadTranslationsFunc(func() error { return nil })
