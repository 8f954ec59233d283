package features

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestLanguage(t *testing.T) {
	const menu = "Home\nNews\nKontakt\nLogin\n"
	tests := []struct{ name, text, declared, want string }{
		{"English", "The owls of the north are seen in winter, and some of them stay with us for the summer.", "", "en"},
		{"German", "Die Eulen des Nordens sind im Winter zu sehen, und einige von ihnen bleiben auch den Sommer über.", "", "de"},
		{"French", "Les hiboux du nord se montrent en hiver, et quelques-uns d'entre eux restent avec nous pour l'été.", "", "fr"},
		{"Spanish", "Los búhos del norte se ven en el invierno y algunos de ellos se quedan con nosotros para el verano.", "", "es"},
		{"Portuguese", "As corujas do norte são vistas no inverno, e algumas delas ficam com a gente para o verão e não voltam.", "", "pt"},
		{"Italian", "I gufi del nord si vedono nel mese di gennaio e alcuni di loro restano anche per la stagione che viene.", "", "it"},
		{"Dutch", "De uilen van het noorden zijn in de winter te zien en een aantal blijft ook voor de zomer bij ons.", "", "nl"},
		{"Polish", "Sowy z północy są widoczne w zimie i nie wszystkie wracają do domu, bo jest im tu dobrze na co dzień.", "", "pl"},
		{"Swedish", "Ugglorna från norr syns om vintern och några av dem är kvar hos oss även när det blir sommar.", "", "sv"},
		{"Russian", "Северные совы видны зимой, и некоторые из них остаются с нами на лето, чтобы высиживать птенцов.", "", "ru"},
		{"Ukrainian", "Північні сови видно взимку, і деякі з них залишаються з нами на літо.", "", "uk"},
		{"Greek", "Οι κουκουβάγιες του βορρά φαίνονται τον χειμώνα.", "", "el"},
		{"Chinese", "北方的猫头鹰在冬天可以看到,其中一些会留下来过夏天。", "", "zh"},
		{"Japanese", "北のふくろうは冬に見られ、夏まで残るものもいます。", "", "ja"},
		{"Korean", "북쪽의 올빼미는 겨울에 볼 수 있으며 일부는 여름까지 남는다.", "", "ko"},
		{"a template's declaration", "Die Eulen des Nordens sind im Winter zu sehen, und einige von ihnen bleiben auch.", "en-US", "de"},
		{"a script the text lacks", "The owls of the north are seen in winter, and some of them stay with us.", "zh-CN", "en"},
		{"little text, declared", menu, "de-AT", "de"},
		{"little text, declared in another script", menu, "ja", ""},
		{"little text", menu, "", ""},
		{"mostly names, declared", "Anna Kovacs\nPeter de Vries\nJosé da Silva\nLi Wei", "nb", "no"},
		{"nothing", "", "", ""},
		{"no known language", "", "tlh", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := languageCodes[languageOf(tt.text, tt.declared)]; got != tt.want {
				t.Errorf("language %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLanguageOfADocument(t *testing.T) {
	const text = "Die Eulen sind im Winter zu sehen, und einige von ihnen bleiben auch den Sommer über bei uns."
	if got := Read(tree(t, `<html lang="en"><p>`+text)).Lang(); got != "de" {
		t.Errorf("page in %q, want de", got)
	}
	if got := ReadText(text).Lang(); got != "de" {
		t.Errorf("text in %q, want de", got)
	}
}

// The part of a text that is read does not grow with the text.
func TestSampleIsBounded(t *testing.T) {
	var e languageEvidence
	read := 0
	text := strings.Repeat("the owl ", 100_000)
	for i := range samplePieces {
		read += len(wholeWords(text[i*len(text)/samplePieces:], sampleBytes))
	}
	if read > samplePieces*sampleBytes {
		t.Errorf("%d bytes read", read)
	}
	e.addText(strings.Repeat("ö", 10_000)) // one word
	if e.words != 1 {
		t.Errorf("%d words, want 1", e.words)
	}
}

func TestCommonWordsFit(t *testing.T) {
	for w := range commonWords {
		if len(w) > maxCommon-utf8.UTFMax || w != strings.ToLower(w) {
			t.Errorf("%q can never be met", w)
		}
	}
}

func FuzzLanguage(f *testing.F) {
	f.Add("Die Eulen und der Mond", "de")
	f.Add("北のふくろう \xff\xe5", "ja-JP")
	f.Add(strings.Repeat("ß", 50), "x")
	f.Fuzz(func(t *testing.T, text, declared string) {
		if l := languageOf(text, declared); l >= numLanguages {
			t.Errorf("language %d", l)
		}
	})
}

// terms returns the terms of the tokenizer for a text, numbers as "#", without stop words.
func terms(l language, s string) []string {
	z := tokenizer{language: l}
	var out []string
	z.forEachToken(s, func(t token) {
		switch {
		case t.word == nil && t.joined:
			out = append(out, "-#")
		case t.word == nil:
			out = append(out, "#")
		case t.word.term != "":
			out = append(out, t.word.term)
		}
	})
	return out
}

func TestTokensOfLanguages(t *testing.T) {
	tests := []struct {
		name     string
		language language
		text     string
		want     string
	}{
		{"glossary", portuguese, "Chamada de trabalhos", "call paper"},
		{"accents left out", spanish, "fecha limite de envio", "date deadlin submiss"},
		{"accents decomposed", spanish, "fecha li\u0301mite de envi\u0301o", "date deadlin submiss"},
		{"another form of the word", german, "der Einreichungsfristen", "submiss deadlin"},
		{"compound", german, "Einreichungsfrist: 1. März 2027", "submiss deadlin # march #"},
		{"stemmed by its own rules", french, "les forêts et la forêt", "foret foret"},
		{"English among it", german, "Call for Papers: submissions welcome", "call paper submiss welcom"},
		{"elision", french, "l'appel d'offres", "call offre"},
		{"Russian in any text", english, "срок подачи докладов", "deadlin submiss paper"},
		{"Chinese", english, "征稿通知", "call paper notif"},
		{"longest word", english, "投稿截止日期", "submiss deadlin"},
		{"Chinese, other characters", english, "猫头鹰 owl", "猫 头 鹰 owl"},
		{"Chinese date", english, "2027年5月31日 截止", "# -# -# deadlin"},
		{"Korean date", english, "2027년 5월 31일", "# -# -#"},
		{"Japanese", english, "フクロウの論文を募集します", "フクロウ paper call"},
		{"Korean", english, "논문을 제출", "paper 을 submiss"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Fields(tt.want), terms(tt.language, tt.text)); diff != "" {
				t.Errorf("terms of %q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// Dates, words of deadlines and invitations are counted in any language.
func TestStructureOfLanguages(t *testing.T) {
	english := ReadText("Call for papers\nSubmission deadline: 3 May 2027")
	for _, text := range []string{
		"Convocatoria de ponencias para los que son como las del norte\nFecha límite de envío: 3 de mayo de 2027",
		"Appel à communications pour les amis du nord, qui sont avec nous dans une île\nDate limite de soumission : 3 mai 2027",
		"征稿\n投稿截止日期:2027年5月3日",
	} {
		got := ReadText(text)
		compared := 0
		for i, name := range structureNames {
			switch name {
			case "dates", "due_dates", "content_call":
				compared++
				if got.Structure()[i] != english.Structure()[i] || got.Structure()[i] == 0 {
					t.Errorf("%q: %s %v, English %v", text, name, got.Structure()[i], english.Structure()[i])
				}
			}
		}
		if compared != 3 {
			t.Errorf("%d features compared, want 3", compared)
		}
	}
}

// A word has one meaning in a language, and this meaning is known.
func TestGlossaries(t *testing.T) {
	lists := append(glossaries[:], readGlossary("eastern"))
	for l, list := range lists {
		seen := make(map[string]bool)
		forEachTranslation(list, func(word string, english []string) {
			if seen[withoutDiacritics(word)] {
				t.Errorf("%q stands twice in list %d", word, l)
			}
			seen[withoutDiacritics(word)] = true
			if len(english) == 0 || len(word) > maxWord {
				t.Errorf("%q of list %d stands for %q", word, l, english)
			}
		})
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("Call for Papers: 2027年5月31日 論文募集 l’été", uint8(french))
	f.Add("\xff年\xe5\xb9 Zu\u0308rich", uint8(japanese))
	f.Add("제출마감 '' 12-3.4", uint8(unknown))
	f.Fuzz(func(t *testing.T, s string, l uint8) {
		z := tokenizer{language: language(l) % numLanguages}
		n := 0
		z.forEachToken(s, func(k token) {
			if n++; k.word != nil && (k.word.meanings() != nil || len(k.word.term) > 3*maxWord) {
				t.Errorf("word %+v of %q", k.word, s)
			}
		})
		if n > 4*len(s) {
			t.Errorf("%d tokens of %d bytes", n, len(s))
		}
	})
}
