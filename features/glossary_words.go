package features

import _ "embed" // for the glossaries

// glossaries say what the words that calls, dates, people and sites are spoken
// of with mean in English: a line holds the English words, a colon, and the
// words that stand for them. Forms that a stemmer brings together need to stand
// there once. Where English says the thing in the plural (papers, submissions),
// so do they, for the sake of fixed phrases.
var glossaries = [numLanguages]string{
	german:     germanGlossary,
	french:     frenchGlossary,
	spanish:    spanishGlossary,
	portuguese: portugueseGlossary,
	italian:    italianGlossary,
	dutch:      dutchGlossary,
	russian:    russianGlossary,
}

var (
	//go:embed glossary/german.txt
	germanGlossary string
	//go:embed glossary/french.txt
	frenchGlossary string
	//go:embed glossary/spanish.txt
	spanishGlossary string
	//go:embed glossary/portuguese.txt
	portugueseGlossary string
	//go:embed glossary/italian.txt
	italianGlossary string
	//go:embed glossary/dutch.txt
	dutchGlossary string
	//go:embed glossary/russian.txt
	russianGlossary string

	// easternGlossary does so for Chinese, in both scripts, Japanese and Korean.
	//go:embed glossary/eastern.txt
	easternGlossary string
)
