package datasets

import (
	"slices"
	"strings"
	"testing"
)

func TestPageRolesRoundTrip(t *testing.T) {
	want := []PageRoles{
		{URL: "https://river.example/", Group: "river", Digest: BlockDigest([]string{"a", "b"}), Roles: []string{"name", "dates", "dates", "topics", "name"}, Line: 2},
		{URL: "https://lake.example/cfp", Group: "lake", Check: true, Digest: "00000000", Roles: []string{"other"}, Line: 3},
	}
	var b strings.Builder
	if err := WritePageRoles(&b, want); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "name:0 dates:1-2 topics:3 name:4\n") {
		t.Errorf("written:\n%s", &b)
	}
	got, err := ReadPageRoles(strings.NewReader(b.String()), "roles.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i].URL != want[i].URL || got[i].Group != want[i].Group || got[i].Check != want[i].Check || got[i].Digest != want[i].Digest || got[i].Line != want[i].Line || !slices.Equal(got[i].Roles, want[i].Roles) {
			t.Errorf("read %v, want %v", got[i], want[i])
		}
	}
}

func TestReadPageRolesRefuses(t *testing.T) {
	for _, bad := range []string{
		"", "url\n", pageRolesHeader + "\nu\tg\ttrain\n", pageRolesHeader + "\nu\tg\tsome\td\tname:0\n",
		pageRolesHeader + "\nu\tg\ttrain\td\tname:1\n", pageRolesHeader + "\nu\tg\ttrain\td\tname:0-x\n",
		pageRolesHeader + "\nu\tg\ttrain\td\tname:0-99999999\n", pageRolesHeader + "\nu\tg\ttrain\td\tname:0-3 dates:3\n",
		pageRolesHeader + "\nu\tg\ttrain\td\tname:0-" + strings.Repeat("9", 1<<16) + "\n",
	} {
		if got, err := ReadPageRoles(strings.NewReader(bad), "roles.tsv"); err == nil {
			t.Errorf("%.60q gave %v", bad, got)
		} else if !strings.HasPrefix(err.Error(), "roles.tsv:") {
			t.Errorf("%.60q: the error %q does not begin with file and line", bad, err)
		}
	}
}
