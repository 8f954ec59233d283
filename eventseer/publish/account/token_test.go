package account

import "testing"

func FuzzTokens(f *testing.F) {
	w := tokens{key: make([]byte, 32)}
	f.Add(w.newToken(leaveToken, "0123-0", 0))
	f.Add("u~~")
	f.Fuzz(func(t *testing.T, token string) {
		name, err := nameIn(leaveToken, token)
		if err != nil {
			return
		}
		if w.verify(token, leaveToken, name, 0) == nil && token != w.newToken(leaveToken, name, 0) {
			t.Errorf("%q is taken for genuine", token)
		}
		_, _, _, _ = splitItemID(name)
	})
}
