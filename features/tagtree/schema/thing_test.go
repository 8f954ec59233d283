package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func parsePage(t testing.TB, body string) *tagtree.Tree {
	t.Helper()
	tree, err := tagtree.Parse(&webgraph.Page{URL: "https://conf.example/p.html", Body: []byte("<html>" + body)})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestThings(t *testing.T) {
	script := func(s string) string { return `<script type="application/ld+json">` + s + `</script><p>Text` }
	for _, tt := range []struct {
		name, body string
		want       []Thing
	}{
		{"nothing", "<p>Text", nil},
		{"json-ld", script(`{"@type":"Event","name":"ICX  2027","location":{"@type":"Place","address":{"addressLocality":"Bergen"}},"offers":[{"price":3}]}`),
			[]Thing{{JSONLD, []string{"Event"}, "html/head/script", []Property{{"location.@type", "Place"}, {"location.address.addressLocality", "Bergen"}, {"name", "ICX 2027"}, {"offers.price", "3"}}}}},
		{"graph, types with addresses, comma too many, line break in a string", script("{\"@graph\":[{\"@type\":[\"https://schema.org/Event\",\"schema:BusinessEvent\"],\"name\":\"I\nCX\",},]}"),
			[]Thing{{JSONLD, []string{"Event", "BusinessEvent"}, "html/head/script", []Property{{"name", "I CX"}}}}},
		{"comment around", script(`<!-- {"@type":"Event","name":"A, } B"} -->`),
			[]Thing{{JSONLD, []string{"Event"}, "html/head/script", []Property{{"name", "A, } B"}}}}},
		{"what the page is about", script(`[{"@type":"WebPage","mainEntity":{"@type":"Event","name":"X"}}]`), []Thing{
			{JSONLD, []string{"WebPage"}, "html/head/script", []Property{{"mainEntity.@type", "Event"}, {"mainEntity.name", "X"}}},
			{JSONLD, []string{"Event"}, "html/head/script", []Property{{"name", "X"}}}}},
		{"broken json-ld", script(`{"@type":"Event","name":`), nil},
		{"microdata", `<div itemscope itemtype="https://schema.org/Event"><h1 itemprop="name">ICX</h1><time itemprop="startDate" datetime="2027-06-01">1 June</time>` +
			`<p itemprop="location" itemscope itemtype="https://schema.org/Place"><b itemprop="name">Town hall</b></p><a itemprop="url" href="/x">go</a></div>`,
			[]Thing{{Microdata, []string{"Event"}, "html/body/div", []Property{{"name", "ICX"}, {"startDate", "2027-06-01"}, {"location.@type", "Place"}, {"location.name", "Town hall"}, {"url", "/x"}}}}},
		{"rdfa", `<div vocab="https://schema.org/" typeof="schema:Event"><span property="schema:name" content="ICX">I</span><i property="startDate">2027-06-01</i></div>`,
			[]Thing{{RDFa, []string{"Event"}, "html/body/div", []Property{{"name", "ICX"}, {"startDate", "2027-06-01"}}}}},
		{"calendar", `<p><a href="data:text/calendar;charset=utf8,BEGIN:VCALENDAR%0ABEGIN:VEVENT%0ADTSTART;VALUE=DATE:20270601%0ASUMMARY:ICX\, the%0A  first%0AEND:VEVENT%0AEND:VCALENDAR">Add</a>`,
			[]Thing{{ICalendar, []string{"Event"}, "html/body/p/a", []Property{{"dtstart", "20270601"}, {"summary", "ICX, the first"}}}}},
	} {
		if diff := cmp.Diff(tt.want, Things(parsePage(t, tt.body))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	plain, err := tagtree.Parse(&webgraph.Page{URL: "https://conf.example/p.txt", Text: "Text"})
	if err != nil || Things(plain) != nil || Times(plain) != nil {
		t.Errorf("plain text says things for programs: %v", err)
	}
}

func TestTimes(t *testing.T) {
	tree := parsePage(t, `<p>Papers <time datetime="2027-01-15">15 <b>January</b></time>, again <time datetime=" 2028-01-15 ">15 January</time>
		<p><time>1 May</time> <time datetime="2027-05-01"></time> <time datetime="x" hidden>2 May</time>`)
	var got []string
	for _, x := range Times(tree) {
		got = append(got, x.Datetime+" "+tree.Text()[x.Start:x.End])
	}
	if diff := cmp.Diff([]string{"2027-01-15 15 January", "2028-01-15 15 January"}, got); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
}

// TestThingsAreBounded feeds more than is read of everything.
func TestThingsAreBounded(t *testing.T) {
	deep := strings.Repeat(`{"@type":"Event","a":`, 5000) + "1" + strings.Repeat("}", 5000)
	var b strings.Builder
	fmt.Fprintf(&b, `<script type="application/ld+json">%s</script>`, deep)
	for range 10_000 {
		b.WriteString(`<script type="application/ld+json">1</script><div itemscope itemtype="Event"><i itemprop="name">x</i></div>`)
	}
	for range 5000 {
		b.WriteString(`<time datetime="2027-01-01">1 January</time> `)
	}
	tree := parsePage(t, b.String())
	things := Things(tree)
	if len(things) == 0 || len(things) > maxThings || len(Times(tree)) != maxTimes {
		t.Errorf("%d things, %d times", len(things), len(Times(tree)))
	}
	for _, thing := range things {
		if len(thing.Properties) > maxProperties {
			t.Errorf("%d properties", len(thing.Properties))
		}
	}
}

// FuzzThings checks that any structured data of a page is read within the limits, with the same result each
// time.
func FuzzThings(f *testing.F) {
	for _, s := range []string{`{"@type":"Event","startDate":["2027-06-01",{"@value":"x"}],}`, `<!--[{"@graph":[{"@type":[1,"A/B#C"]}]}]-->`, `{"@type":"E","a":"\u00e9\` + "\n" + `"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		body := `<script type="application/ld+json">` + s + `</script><div typeof="` + s + `"><a itemscope itemprop="x" href="data:text/calendar,` + s + `">` + s
		tree, err := tagtree.Parse(&webgraph.Page{URL: "https://conf.example/", Body: []byte("<html>" + body)})
		if err != nil {
			return
		}
		things := Things(tree)
		if len(things) > maxThings {
			t.Errorf("%d things", len(things))
		}
		if diff := cmp.Diff(things, Things(tree)); diff != "" {
			t.Error(diff)
		}
	})
}
