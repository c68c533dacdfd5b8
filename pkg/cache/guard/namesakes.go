package guard

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// errNamesakes is Expired, as nothing but a new list can tell which object changed.
var errNamesakes = apierrors.NewResourceExpired("a watch event is about one of several objects of the same name, and does not say which")
