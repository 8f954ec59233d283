package tagtree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Sentences of the pages below.
const (
	owls   = "Owls of all kinds, their flight and their calls are what we meet for in Trento, whatever the weather."
	wings  = "Their wings make no sound, which is why nobody hears them come; we ask how feathers do it."
	nights = "Nights are spent in the woods above the town, with lamps covered, and talks are given in the dark."
	og     = `<meta property="og:type" content="article">`
)

func paragraphs(texts ...string) string { return "<p>" + strings.Join(texts, "<p>") }

// The purposes of blocks of pages: info are those to be read, hub links worth following; blocks in neither
// are navigation.
func TestBlockKinds(t *testing.T) {
	body := paragraphs(owls, wings, nights) + "<ul><li>Flight</ul>" // the topic shows that it is not an article
	read := []string{owls, wings, nights, "Flight"}
	tests := []struct {
		name, html string
		info, hub  []string
	}{
		{"menu by element", "<nav><a href=a>Home</a><p>Menu</nav>" + body, read, nil},
		{"menu by role", "<div role=navigation><a href=a>Home</a></div>" + body, read, nil},
		{"menu by class", "<div class='siteNav-main'><a href=a>Home</a></div>" + body, read, nil},
		{"menu by its looks", "<table><tr><td><a href=a>Home</a><td><a href=b>Dates</a><td><a href=c>Venue</a></table><div>" + body + "</div>", read, nil},
		{"menu below its heading", "<div><h3>More</h3><ul><li><a href=a>Home</a><li><a href=b>Dates</a><li><a href=c>Venue</a></ul></div><div>" + body + "</div>", read, nil},
		{"imprint", body + "<div>Copyright © 2027 The Owl Society<br>Last updated on 3 May<br>Powered by feathers</div>", read, nil},
		{"names of rows", "<table><tr><td><a href=a>OWL 27</a><td>Trento<tr><td><a href=b>OWL 26</a><td>Graz</table><div>" + body + "</div>",
			append([]string{"OWL 27", "Trento", "OWL 26", "Graz"}, read...), nil},
		{"dates beside a menu", "<div class=sidebar-nav><a href=a>Home</a><p>Deadlines<p>Papers: 1 May 2027<p>Posters: 2 June 2027</div>" + body,
			append([]string{"Papers: 1 May 2027", "Posters: 2 June 2027"}, read...), nil},
		{"footer", body + "<footer><p>Made by us<p>© Owls 2027<p><a href=x>Imprint</a></footer>", read, nil},
		{"venue in a footer", body + "<footer><p>Trento, 3-5 March 2027</footer>", append(read[:4:4], "Trento, 3-5 March 2027"), nil},
		{"cookie banner", "<div id=cookieNotice><p>" + owls + "</div>" + strings.Replace(body, owls, "", 1), read[1:], nil},
		{"share bar", "<div class=share-links><a href=x>Post</a> | <a href=y>Send</a></div>" + body, read, nil},
		{"comments", body + "<ol class=commentlist><li><p>" + strings.ToUpper(owls) + "</ol>", read, nil},
		{"headline that is a link", "<h1><a href=/>Owls 2027</a></h1>" + body, append([]string{"Owls 2027"}, read...), nil},
		{"title that is a link in the menu", "<title>Workshop on Owls</title><nav><div><a href=/>Workshop on Owls</a></div><a href=b>Dates</a></nav>" + body,
			append([]string{"Workshop on Owls"}, read...), nil},
		{"deadlines in a table", body + "<table><tr><td>Papers due<td>1 May<tr><td>Notification<td>2 June</table>", append(read[:4:4], "Papers due", "1 May", "Notification", "2 June"), nil},
		{"topics", body + "<ul><li>Flight<li>Calls<li>Pellets</ul>", append(read[:4:4], "Flight", "Calls", "Pellets"), nil},
		{"committee of links", body + "<ul><li><a href=//a.example.net/~ann>Ann Owl</a><li><a href=//b.example.net>Bo Elk</a><li><a href=//c.example.net>Cy Ant</a></ul>",
			append(read[:4:4], "Ann Owl", "Bo Elk", "Cy Ant"), nil},
		{"committee of links of the site", body + "<ul><li><a href=ann>Ann Owl</a><li><a href=bo>Bo Elk</a><li><a href=cy>Cy Ant</a></ul>", append(read[:4:4], "Ann Owl", "Bo Elk", "Cy Ant"), nil},
		{"how to submit", body + "<p><a href=submit>Submit here</a>", append(read[:4:4], "Submit here"), nil},
		{"programme of links with authors", body + "<ul><li><a href=1>Why owls turn their heads</a>, Ann Owl (Trento)<li><a href=2>What owls see by night</a>, Bo Elk (Graz)</ul>",
			append(read[:4:4], "Why owls turn their heads, Ann Owl (Trento)", "What owls see by night, Bo Elk (Graz)"), nil},
		{"hub of anchors", "<h2>Calls</h2><ul><li><a href=1>Workshop on the Flight of Owls in Trento</a><li><a href=2>Symposium on Feathers and Their Sounds</a><li><a href=3>Third Congress of Animals of the Night</a></ul>",
			[]string{"Calls"}, []string{"Workshop on the Flight of Owls in Trento", "Symposium on Feathers and Their Sounds", "Third Congress of Animals of the Night"}},
		{"hub of short names with years", "<p><a href=//a.example.net>OWL 2027</a><p><a href=//b.example.net>ELK 2027</a><p><a href=//c.example.net>ANT 2028</a>",
			nil, []string{"OWL 2027", "ELK 2027", "ANT 2028"}},
		{"calendar of other sites", "<h2>Meetings</h2>" + calendar(5, "//%c.example.net"), []string{"Meetings"}, entries(5)},
		{"list of talks", "<h2>Talks</h2>" + calendar(5, "%c.html"), append([]string{"Talks"}, entries(5)...), nil},
		{"right to left", "<nav><a href=a>בית</a></nav><p>אנו מזמינים הגשת מאמרים לכנס, בנושא ינשופים. נא לשלוח עד סוף החודש.", []string{"אנו מזמינים הגשת מאמרים לכנס, בנושא ינשופים. נא לשלוח עד סוף החודש."}, nil},
		{"Chinese", "<div class=menu><a href=a>首页</a></div><p>我们诚邀各位学者向本次会议提交论文，主题不限，截止日期为五月一日。", []string{"我们诚邀各位学者向本次会议提交论文，主题不限，截止日期为五月一日。"}, nil},
		{"all script", "<script>document.write('<p>" + owls + "')</script>", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := parse(t, tt.html)
			info, hub := readBlocks(tree)
			if diff := cmp.Diff(tt.info, info); diff != "" {
				t.Errorf("informational (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.hub, hub); diff != "" {
				t.Errorf("hub (-want +got):\n%s", diff)
			}
		})
	}
}

// calendar is a list of links, each with a date and a place.
func calendar(n int, link string) string {
	var b strings.Builder
	for i, e := range entries(n) {
		name, when, _ := strings.Cut(e, ", ")
		fmt.Fprintf(&b, "<li><a href="+link+">%s</a>, %s", 'a'+i, name, when)
	}
	return b.String()
}

func entries(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("Congress of Animals of the Night %d, 3 May, Trento", i))
	}
	return list
}

func readBlocks(tree *Tree) (info, hub []string) {
	kinds, _ := tree.blockKinds()
	for i, k := range kinds {
		switch k {
		case Info:
			info = append(info, tree.blocks[i].Text)
		case Hub:
			hub = append(hub, tree.blocks[i].Text)
		}
	}
	return info, hub
}

// The remaining text of articles, which is stricter.
func TestArticleKinds(t *testing.T) {
	body := paragraphs(owls, wings, nights)
	all := []string{owls, wings, nights}
	tests := []struct {
		name, html string
		want       []string
	}{
		{"headline and byline", og + "<div><h1>Owls</h1><p class=byline>By Ann Owl</p><div>" + body + "</div></div>", all},
		{"related links", og + "<div>" + body + "<div class='post-related'><h3>See also</h3><p>" + strings.ToUpper(owls) + "</div></div>", all},
		{"teasers all around", og + "<div class=story>" + body + "</div>" + strings.Repeat("<div><h3><a href=x>Elks at noon</a></h3><p>"+strings.ToUpper(wings)+"</div>", 3), all},
		{"captions", og + "<div>" + paragraphs(owls, wings) + "<figure><img><figcaption>" + strings.ToUpper(owls) + "</figcaption></figure>" + paragraphs(nights) + "</div>", all},
		{"subhead, list and table stay", og + "<div>" + paragraphs(owls) + "<h2>Wings</h2>" + paragraphs(wings) + "<ul><li>soft</ul><table><tr><td>wide</table>" + paragraphs(nights) + "</div>",
			[]string{owls, "Wings", wings, "soft", "wide", nights}},
		{"headings of what is gone", og + "<div>" + body + "<h3>Read on</h3><p><a href=x>Elks at noon</a></div>", all},
		{"the first of several articles", og + "<article><h1>Owls</h1>" + body + "</article>" + strings.Repeat("<article><h2>Elks</h2>"+strings.ToUpper(body)+"</article>", 3), all},
		{"a body of one line among names", og + "<div class=entry-content><p>Owls fly.<div><div>" + paragraphs(owls) + "</div></div></div><div><p>Monday</div>", []string{"Owls fly.", owls}},
		{"WordPress' tags of a post", og + "<article class='post tag-related category-news'><h1>Owls</h1>" + body + "</article>", all},
		{"JSON-LD", `<script type="application/ld+json">{"@graph":[{"@type":"Person"},{"@type": ["NewsArticle"]}]}</script><div>` + body + "</div><p>Tuesday", all},
		{"microdata", "<div itemprop=articleBody>" + paragraphs(owls, wings) + "</div><p>Tuesday", all[:2]},
		{"prose says it", "<div>" + body + "</div><p>Tuesday", all},
		{"but not beside dates", "<div>" + body + "</div>" + paragraphs("Papers: 1 May 2027", "Posters: 2 May 2027", "Talks: 3 May 2027", "Notice: 4 May 2027"),
			append(all[:3:3], "Papers: 1 May 2027", "Posters: 2 May 2027", "Talks: 3 May 2027", "Notice: 4 May 2027")},
		{"a page of WordPress is no article", "<head>" + og + "</head><body class='page-id-7'><div>" + paragraphs(owls, wings) + "</div><p>Tuesday", []string{owls, wings, "Tuesday"}},
		{"a hub that says it is one", og + "<div><p>" + owls + strings.Repeat("<p><a href=x>Workshop on the Flight of Owls in Trento</a>", 9) + "</div>", []string{owls}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := parse(t, tt.html)
			if diff := cmp.Diff(strings.Join(tt.want, "\n"), tree.Analysis().Text()); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTextOfPlainText(t *testing.T) {
	const mail = "From: ann@owls.example.org\nTo: owl-list@example.org\nSubject: Owls 2027\n\nPapers on owls by 1 May.\n\n-- \nAnn\nhttp://owls.example.org/"
	tree := parseAs(t, mail, "text/plain")
	if got := tree.Analysis().Text(); got != tree.Text() {
		t.Errorf("text %q of the mail %q", got, tree.Text())
	}
}

func TestSignsOfValue(t *testing.T) {
	tests := []struct {
		value string
		want  nameSign
	}{
		{"", 0},
		{"navigation", signMenu},
		{"NavigationItem-text", signMenu},
		{"top_nav", signMenu},
		{"navy", 0},
		{"research", 0},
		{"socialshare", signMenu},
		{"postRelatedLinks", signSide},
		{"RSS", signSide},
		{"headed thread lead", 0},
		{"site-footer", signFoot},
		{"has-cookie-law", signDrop},
		{"entry-content", signBody},
		{"articleBody", signBody},
		{"tag-related category-news", 0},
		{"öl 導航 --__ 7", 0},
		{strings.Repeat("x", 3*maxNames), 0},
	}
	for _, tt := range tests {
		if got := signsOfValue(tt.value); got != tt.want {
			t.Errorf("%q: %b, want %b", tt.value, got, tt.want)
		}
	}
}

func TestIsArticleData(t *testing.T) {
	for s, want := range map[string]bool{
		"": false, `"@type"`: false, `"@type":`: false, `"@type":"`: false, `{"@type": "WebPage"}`: false, `{"@type" : {"@type":"BlogPosting"}}`: true,
		`{"@type":"Article`: true, `{"type":"Article"}`: false,
	} {
		if got := isArticleData(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// Every pass over a page is one over its elements or blocks, whatever nests.
func TestBlockKindsOfHostilePages(t *testing.T) {
	tests := map[string]string{
		"articles in articles":  strings.Repeat("<article class=nav>", 380) + strings.Repeat("<p>"+owls, 5_000),
		"links only":            strings.Repeat("<p><a href=x>x</a>", 30_000),
		"classes, all of them":  manyClasses(20_000),
		"one class of 10 MB":    "<div class='" + strings.Repeat("a-b ", 10<<20/4) + "'><p>" + owls,
		"JSON-LD without end":   `<script type="application/ld+json">` + strings.Repeat(`"@type":`, 200_000) + "</script><p>" + owls,
		"teasers, one a branch": strings.Repeat("<div><a href=x>y</a><p>"+owls+"</div>", 8_000),
	}
	for name, html := range tests {
		t.Run(name, func(t *testing.T) {
			tree := parse(t, html)
			kinds, _ := tree.blockKinds()
			if n := len(kinds); n != len(tree.Blocks()) {
				t.Errorf("%d kinds of %d blocks", n, len(tree.Blocks()))
			}
		})
	}
}

func manyClasses(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<p class='c%d related'>%s", i, owls)
	}
	return b.String()
}
