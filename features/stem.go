package features

import (
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/internal/text"

	"github.com/blevesearch/snowballstem"
	dutchstem "github.com/blevesearch/snowballstem/dutch"
	germanstem "github.com/blevesearch/snowballstem/german"
	italianstem "github.com/blevesearch/snowballstem/italian"
	portuguesestem "github.com/blevesearch/snowballstem/portuguese"
	romanianstem "github.com/blevesearch/snowballstem/romanian"
	turkishstem "github.com/blevesearch/snowballstem/turkish"
	englishstem "github.com/kljensen/snowball/english"
	frenchstem "github.com/kljensen/snowball/french"
	hungarianstem "github.com/kljensen/snowball/hungarian"
	norwegianstem "github.com/kljensen/snowball/norwegian"
	russianstem "github.com/kljensen/snowball/russian"
	spanishstem "github.com/kljensen/snowball/spanish"
	swedishstem "github.com/kljensen/snowball/swedish"
	"golang.org/x/text/unicode/norm"
)

// Stem returns the English stem of a lower-case word (Snowball's English
// stemmer, which is Porter's own revision of the one paper 002 used).
func Stem(s string) string { return englishstem.Stem(s, true) }

// snowball are the stemmers of the languages that have one, and their lists of stop words. German,
// Dutch, Portuguese and Italian, which snowball lacks, are stemmed by snowballstem: held-out F1 of
// calls is the same without, but more forms match the glossary.
var snowball = [numLanguages]struct {
	stem       func(word string, stopWords bool) string
	isStopWord func(word string) bool
}{
	unknown:    {englishstem.Stem, nil},
	english:    {englishstem.Stem, nil},
	french:     {frenchstem.Stem, frenchstem.IsStopWord},
	spanish:    {spanishstem.Stem, spanishstem.IsStopWord},
	russian:    {russianstem.Stem, russianstem.IsStopWord},
	swedish:    {swedishstem.Stem, swedishstem.IsStopWord},
	norwegian:  {norwegianstem.Stem, norwegianstem.IsStopWord},
	danish:     {norwegianstem.Stem, nil},
	hungarian:  {hungarianstem.Stem, hungarianstem.IsStopWord},
	german:     {stemBy(germanstem.Stem), nil},
	dutch:      {stemBy(dutchstem.Stem), nil},
	portuguese: {stemBy(portuguesestem.Stem), nil},
	italian:    {stemBy(italianstem.Stem), nil},
	romanian:   {stemBy(romanianstem.Stem), nil},
	turkish:    {stemBy(turkishstem.Stem), nil},
}

func stemBy(stem func(*snowballstem.Env) bool) func(string, bool) string {
	return func(s string, _ bool) string {
		env := snowballstem.NewEnv(s)
		stem(env)
		return env.Current()
	}
}

// stemOf returns the stem of a lower-case word by the Snowball stemmer of its
// language, or the word itself if there is none.
func stemOf(s string, l language) string {
	if stem := snowball[l].stem; stem != nil {
		return stem(s, true)
	}
	return s
}

// isStopWordOf reports whether a word of language l is left out of documents. Stop words are those
// of Snowball's list, if any, and the common words by which the language is recognised.
func isStopWordOf(word string, l language) bool {
	is := snowball[l].isStopWord
	return commonWords[word]&(1<<l|1<<english) != 0 || is != nil && is(word)
}

// withoutDiacritics removes diacritics of Latin letters, so that "resúmenes" equals "resumenes" as typed without
// them; other scripts are unchanged.
func withoutDiacritics(s string) string {
	if text.IsASCII(s) {
		return s
	}
	var b strings.Builder
	latin := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r) && latin:
			continue
		case r == 'ß':
			b.WriteString("ss")
		case r == 'ø':
			b.WriteByte('o')
		case r == 'ł':
			b.WriteByte('l')
		case r == 'ı':
			b.WriteByte('i')
		default:
			b.WriteRune(r)
		}
		latin = r < 0x250
	}
	return norm.NFC.String(b.String())
}

// newWord returns the properties of a word. A word in a glossary is replaced by its English translation.
// So is a word that other languages borrow from English.
func newWord(s string, l language) *word {
	if l != english && l != unknown {
		composed := withoutArticle(norm.NFKC.String(s), l)
		if means := l.translationsOf(composed); means != nil {
			return translatedWord(s, l, means)
		}
		if !loanWords()[s] {
			w := spelled(s, l)
			if !isStopWordOf(composed, l) {
				w.setTerm(withoutDiacritics(stemOf(composed, l)))
			}
			return w
		}
	}
	w := spelled(s, l)
	w.class = classOf(s)
	if endings := cueEndings.endingsOf(s); len(endings) > 0 {
		w.roles = &roles{endings: endings}
	}
	if !stopWords[s] {
		w.setTerm(withoutDiacritics(Stem(s)))
	}
	return w
}

// substringOf returns term as a substring of word if possible, for memory locality.
func substringOf(word, term string) string {
	if strings.HasPrefix(word, term) {
		return word[:len(term)]
	}
	return term
}

// withoutArticle removes the elided article of a word of l: French l'appel becomes appel.
func withoutArticle(s string, l language) string {
	if l == french || l == italian || l == catalan {
		return s[strings.LastIndexByte(s, '\'')+1:]
	}
	return s
}

// translatedWord returns a word of language l with English translations.
func translatedWord(s string, l language, means []string) *word {
	w := spelled(s, l)
	w.roles = new(roles)
	for _, m := range means {
		w.roles.means = append(w.roles.means, newWord(m, english))
	}
	return w
}

// stopWords are lower-case words, as written, before stemming, that are left out of every document.
// They are too common in English to describe a topic: paper 002, section 3.1.2. Characteristic
// words of calls (call, paper, submit, date, page) are not included.
var stopWords = text.WordSet(`
a b c d e f g h i j k l m n o p q r s t u v w x y z
about above abroad accordingly across actually after afterwards again against ago ahead ain't albeit all allow allows
almost alone along alongside already also although altogether always am amid amidst among amongst an and another any
anybody anyhow anymore anyone anything anyway anyways anywhere apart appear are aren't around as aside ask asks at away
awfully back backwards bad badly barely basically be became because become becomes becoming been before beforehand began
begin begins behind being below beneath beside besides best better between beyond big bigger both bring but by came can
can't cannot cant certain certainly clearly come comes comings concerning consequently could couldn't couldst dare
daren't definitely despite did didn't different directly do does doesn't doing don't done down downwards due during
each earlier early effectively eight eighth either eleven else elsewhere enough entirely especially et etc even evenly
ever evermore every everybody everyone everything everywhere exactly except fairly far farther few fewer fifth fifteen
fifty first five following follows for forever formerly forth forty forward found four fourth from fully further
furthermore gave generally get gets getting give given gives giving go goes going gone good got gotten had hadn't half
hardly has hasn't have haven't having he he'd he'll he's hello hence her here here's hereabouts hereafter hereby herein
hereto hereupon hers herself hi him himself his hither hopefully how how's howbeit however hundred i'd i'll i'm i've ie
if immediately in inasmuch indeed indicates inner inside insofar instead into inward is isn't it it'd it'll it's its
itself just keep keeps kept knew know known knows large largely last lately later latter latterly least less lest let
let's like liked likely likewise little long longer look looking looks lot lots low lower made mainly make makes making
many may maybe mayn't me mean meantime meanwhile merely might mightn't mine more moreover most mostly much must mustn't
my myself namely near nearby nearly necessarily need needed needn't needs neither never nevertheless next nigh nine
ninety no nobody non none nonetheless nor normally not nothing notwithstanding now nowadays nowhere obviously of off
often oh ok okay old on once one one's ones only onto or other others otherwise ought oughtn't our ours ourselves out
outside over overall own particularly past per perhaps plus possibly presumably previously probably put quite rather
really reasonably recently regardless relatively respectively right round said same saw say saying says second secondly
see seeing seem seemed seeming seems seen self selves sent seven seventh several shall shan't she she'd she'll she's
should shouldn't since six sixth sixty so some somebody someday somehow someone something sometime sometimes somewhat
somewhere soon still such sure surely take taken takes taking tell ten tends than thank thanks that that'd that'll
that's thats the thee their theirs them themselves then thence there there'd there'll there's thereabouts thereafter
thereby therefore therefrom therein thereof thereto thereupon these they they'd they'll they're they've thing things
think third thirty this thorough thoroughly those thou though thousand three through throughout thru thus thy till to
today together told too took toward towards tried tries truly try trying twelve twenty twice two under underneath
undoubtedly unless unlike unlikely until unto up upon upwards us use used uses using usually various versus very via viz
want wanted wants was wasn't way ways we we'd we'll we're we've well went were weren't what what'd what'll what's
whatever whatsoever when when's whence whenever where where's whereabouts whereafter whereas whereby wherein whereof
whereto whereupon wherever whether which whichever while whilst whither who who'd who'll who's whoever whole whom
whomever whose why why's will willing wish with within without won't wonder would wouldn't ye yes yesterday yet you
you'd you'll you're you've your yours yourself yourselves`)
