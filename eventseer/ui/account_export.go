package ui

import (
	"encoding/json"
	"errors"
	"net/http"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// An accountExport is all that is kept of a reader, for the reader.
type accountExport struct {
	Account eventseer.Account `json:"account"`
	Lists   []exportedList    `json:"lists"`
	// Starred are the finds of no list.
	Starred []eventseer.Item `json:"starred"`
}

type exportedList struct {
	eventseer.List
	Items []eventseer.Item `json:"items"`
}

// exportAccount sends a reader's own data as a file.
func (s *server) exportAccount(w http.ResponseWriter, r *http.Request) {
	var out accountExport
	read := s.signedIn(func(v *visit) (web.View, error) {
		var err error
		out, err = s.readExport(v)
		return web.View{}, err
	})
	v, err := s.newVisit(w, r)
	if err == nil {
		_, err = read(v)
	}
	var body []byte
	if err == nil {
		body, err = json.MarshalIndent(out, "", "  ")
	}
	if err != nil {
		s.own(func(*visit) (web.View, error) { return web.View{}, err })(w, r)
		return
	}
	ownAnswer(w)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="eventseer-account.json"`)
	web.Write(w, 0, append(body, '\n'))
}

func (s *server) readExport(v *visit) (accountExport, error) {
	out := accountExport{Account: *v.account, Lists: []exportedList{}, Starred: []eventseer.Item{}}
	lists, err := s.Subscriptions.Lists(v.Context(), v.account.ID)
	if err != nil {
		return out, err
	}
	at := map[string]int{}
	for i, l := range views.Head(lists, eventseer.MaxListsAnAccount) {
		at[l.ID] = i
		out.Lists = append(out.Lists, exportedList{l, []eventseer.Item{}})
	}
	most := eventseer.MaxStream * (eventseer.MaxListsAnAccount + 1)
	for from := 0; from < most; {
		items, total, err := s.Subscriptions.Items(v.Context(), v.account.ID, "", from, eventseer.MaxStream)
		if err != nil {
			return out, err
		}
		for _, item := range items {
			if i, ok := at[item.List]; ok && item.List != "" {
				out.Lists[i].Items = append(out.Lists[i].Items, item)
			} else {
				out.Starred = append(out.Starred, item)
			}
		}
		if from += len(items); len(items) == 0 || from >= total {
			return out, nil
		}
	}
	return out, errors.New("an account has more finds than can be")
}
