package ui

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
	"github.com/eventseer/eventseer/eventseer/ui/api"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// An aboutPage describes the site; features that this instance lacks are not mentioned.
type aboutPage struct {
	views.Frame
	Contact *views.Link
	Parts   struct{ API, Data, Recent, Mail, Submit bool }
	Formats []views.Link // as on the home page
	Crawled views.TimeStamp
	Counts  api.StatusAnswer
	// Corrections is the number of corrections in force, and how often the edited fields were
	// right.
	Corrections int
	Accuracy    []accuracyRow
}

type accuracyRow struct {
	Field         string
	Looked, Right int
	Share         string
	Sample        string // accuracy on randomly drawn events, in words, or ""
}

func (s *server) about(r *http.Request) (web.View, error) {
	p := aboutPage{
		Frame:   s.textFrame(r, "About", "about", "What EventSeer is, how far to trust it, and how to use its data."),
		Contact: views.ContactLink(s.Contact),
	}
	p.Parts.Recent, p.Parts.Mail, p.Parts.Submit = s.Recent != nil, s.Subscriptions != nil, s.Submitter != nil
	for _, e := range s.Site.Foot {
		p.Parts.API = p.Parts.API || e.Name == "api"
		p.Parts.Data = p.Parts.Data || e.Name == "data"
	}
	for _, f := range s.Formats {
		p.Formats = append(p.Formats, views.Link{Text: f.Describe, Href: "/search" + f.Ending})
	}
	if s.Crawled != nil {
		p.Crawled = views.NewTimeStamp(s.Crawled(), s.Now())
	}
	var err error
	if p.Counts, err = s.status(r.Context()); err != nil {
		return web.View{}, err
	}
	if s.Curated != nil {
		corrections, err := s.Curated(r.Context())
		if err != nil {
			return web.View{}, err
		}
		sum := curate.Summarize(corrections)
		p.Corrections = sum.Corrections
		for _, f := range sum.Fields {
			row := accuracyRow{Field: views.FieldName(f.Field), Looked: f.Looked, Right: f.Right, Share: fmt.Sprintf("%.0f to %.0f %%", 100*f.Low, 100*f.High)}
			if f.Sample != nil {
				row.Sample = fmt.Sprintf("%d of %d, %.0f to %.0f %%", f.Sample.Right, f.Sample.Looked, 100*f.Sample.Low, 100*f.Sample.High)
			}
			p.Accuracy = append(p.Accuracy, row)
		}
	}
	return web.View{Name: "about", Data: p}, nil
}

// A privacyPage states which data is stored about whom, and for how long.
type privacyPage struct {
	views.Frame
	Contact       *views.Link
	People        bool
	Accounts      bool
	Removal       string // URL of the form for removal requests, "" without one
	ZoneFor, Undo string
}

func (s *server) privacy(r *http.Request) (web.View, error) {
	p := privacyPage{
		Frame:   s.textFrame(r, "Privacy", "privacy", "What this site stores about its readers and about people named in calls, and how to have it removed."),
		Contact: views.ContactLink(s.Contact), People: s.People, Accounts: s.Subscriptions != nil,
		ZoneFor: daysText(web.ZoneFor),
	}
	if s.Desk != nil {
		p.Removal = "/removal"
	}
	return web.View{Name: "privacy", Data: p}, nil
}

// daysText formats a time in whole days, or in years if it is a multiple of one.
func daysText(d time.Duration) string {
	const year = 365 * 24 * time.Hour
	if d%year == 0 {
		return views.CountText(int(d/year), "year")
	}
	return views.CountText(int(d/(24*time.Hour)), "day")
}

// A zonePage lets readers choose their time zone.
type zonePage struct {
	views.Frame
	Problem string
	Chosen  string
	Regions []zoneRegion
	Common  []zoneRow // frequent zones, each with a button
	Other   string    // the zone if it is not in the list
	Back    string
	Now     string // the time there
	Kept    bool   // the reader chose the zone on this page
}

// A zoneRegion is a part of the list of zones.
type zoneRegion struct {
	Name  string
	Zones []zoneRow
}

// A zoneRow is one zone, with its offset now.
type zoneRow struct {
	Name, Text string
	Chosen     bool
}

func (s *server) chooseZone(r *http.Request) (web.View, error) {
	return web.View{Name: "zone", Data: s.newZonePage(r, web.ReaderZone(r), "")}, nil
}

func (s *server) newZonePage(r *http.Request, chosen *time.Location, problem string) zonePage {
	now := s.Now()
	p := zonePage{
		Frame: s.FrameOf(r, "Your time zone", "zone"), Problem: problem, Chosen: views.ZoneName(chosen), Other: chosen.String(),
		Back: localPath(r.FormValue("back")), Now: now.In(chosen).Format("15:04 on Monday 2 January"),
	}
	p.Meta.NoIndex = true
	_, p.Kept = web.KnownZone(r)
	for _, name := range commonZones {
		if zone := eventseer.NamedZone(name); zone != nil {
			p.Common = append(p.Common, zoneRow{name, now.In(zone).Format("15:04 ") + views.ZoneName(zone), name == chosen.String()})
		}
	}
	for _, region := range zoneList {
		row := zoneRegion{Name: region.name}
		for _, name := range region.zones() {
			zone := eventseer.NamedZone(name)
			if zone == nil {
				continue
			}
			row.Zones = append(row.Zones, zoneRow{name, views.ZoneName(zone) + ", UTC" + now.In(zone).Format("-07:00"), name == chosen.String()})
		}
		if slices.ContainsFunc(row.Zones, func(z zoneRow) bool { return z.Chosen }) {
			p.Other = ""
		}
		p.Regions = append(p.Regions, row)
	}
	return p
}

// browserZone requests the time zone of the browser instead of a chosen one.
const browserZone = "browser"

// setZone stores the zone in a cookie and redirects to the reader's page.
func (s *server) setZone(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 10_000)
	name := cmp.Or(strings.TrimSpace(r.PostFormValue("other")), r.PostFormValue("zone"))
	zone := eventseer.NamedZone(name)
	if zone == nil && name != browserZone {
		s.PageHandler(func(r *http.Request) (web.View, error) {
			problem := "“" + views.Clip(name, 60) + "” is not a time zone. Choose one from the list, or write a name such as Europe/Oslo."
			return web.View{Name: "zone", Data: s.newZonePage(r, web.ReaderZone(r), problem), Status: http.StatusBadRequest}, nil
		})(w, r)
		return
	}
	c := &http.Cookie{
		Name: web.ZoneCookie, Path: "/", MaxAge: int(web.ZoneFor / time.Second),
		Secure: r.TLS != nil || strings.HasPrefix(s.Base, "https:"), SameSite: http.SameSiteLaxMode,
	}
	if zone != nil {
		c.Value = zone.String()
	} else {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, cmp.Or(localPath(r.PostFormValue("back")), "/"), http.StatusSeeOther)
}

// localPath returns a path of this site, "" for anything else.
func localPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || !strings.HasPrefix(path, "/") || len(path) > 2000 ||
		strings.HasPrefix(path, "//") || strings.ContainsFunc(path, func(r rune) bool { return r == '\\' || r < ' ' || r == 0x7f }) {
		return ""
	}
	return path
}

// A zoneCities is a region with the cities that name its zones.
type zoneCities struct{ name, cities string }

// zones returns the full names of the zones.
func (z zoneCities) zones() []string {
	names := strings.Fields(z.cities)
	for i := range names {
		if z.name != "World" {
			names[i] = z.name + "/" + names[i]
		}
	}
	return names
}

// commonZones are zones of many readers, from west to east.
var commonZones = strings.Fields("America/Los_Angeles America/Chicago America/New_York America/Sao_Paulo UTC Europe/London Europe/Berlin Europe/Athens Europe/Istanbul Asia/Dubai Asia/Kolkata Asia/Singapore Asia/Shanghai Asia/Tokyo Australia/Sydney Pacific/Auckland")

// zoneList are the zones offered, the others may be typed.
var zoneList = []zoneCities{
	{"World", "UTC"},
	{"Africa", "Accra Addis_Ababa Algiers Cairo Casablanca Johannesburg Kampala Khartoum Lagos Nairobi Tunis"},
	{"America", "Anchorage Argentina/Buenos_Aires Bogota Caracas Chicago Denver Halifax Havana La_Paz Lima Los_Angeles Mexico_City Montevideo New_York Panama Phoenix Puerto_Rico Santiago Sao_Paulo St_Johns Toronto Vancouver"},
	{"Asia", "Almaty Amman Baghdad Baku Bangkok Beirut Colombo Dhaka Dubai Ho_Chi_Minh Hong_Kong Jakarta Jerusalem Kabul Karachi Kathmandu Kolkata Kuala_Lumpur Manila Novosibirsk Riyadh Seoul Shanghai Singapore Taipei Tashkent Tbilisi Tehran Tokyo Vladivostok Yangon Yerevan"},
	{"Australia", "Adelaide Brisbane Darwin Hobart Melbourne Perth Sydney"},
	{"Europe", "Amsterdam Athens Belgrade Berlin Brussels Bucharest Budapest Copenhagen Dublin Helsinki Istanbul Kyiv Lisbon Ljubljana London Luxembourg Madrid Minsk Moscow Oslo Paris Prague Riga Rome Sofia Stockholm Tallinn Vienna Vilnius Warsaw Zagreb Zurich"},
	{"Pacific", "Auckland Fiji Guam Honolulu Noumea Tahiti"},
	{"Atlantic", "Azores Cape_Verde Reykjavik"},
}
