package seeds

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Topic is the subject of queries.
type Topic struct {
	Names map[string]string // names by language; may be nil
	Words []string          // English words of the topic, by descending weight
}

// callPhrases are phrases that are usual in calls, by language. The first is English because most calls are.
var callPhrases = []struct{ lang, phrase string }{
	{"en", `"call for papers"`},
	{"fr", `"appel à communications"`},
	{"de", `"Call for Papers" Tagung`},
	{"es", `"convocatoria de ponencias"`},
	{"pt", `"chamada de trabalhos"`},
}

// perForeign is the number of English queries before each query in another language.
const perForeign = 4

// TopicWords is the maximum number of words of a topic that are used in queries.
const TopicWords = 20

// Queries returns at most n queries for calls of a year. It goes through the topics in rounds: first by name,
// then with one of the topic's words by descending weight. Every fifth query is in another language. The same
// arguments give the same queries.
func Queries(topics []Topic, year, n int) (queries []string) {
	foreign := 0
	add := func(phrase, about string) {
		if q := fmt.Sprintf("%s %d %s", phrase, year, about); about != "" && len(queries) < n && !slices.Contains(queries, q) {
			queries = append(queries, q)
		}
	}
	for round := range TopicWords + 1 {
		for _, t := range topics {
			add(callPhrases[0].phrase, t.querySubject(round))
			if (len(queries)+1)%(perForeign+1) == 0 {
				in := callPhrases[1+foreign%(len(callPhrases)-1)]
				add(in.phrase, topics[foreign%len(topics)].Names[in.lang])
				foreign++
			}
		}
	}
	return queries
}

// querySubject returns the subject of a topic's query in a round, in English. It is the name, in later rounds with
// one word, or two words if there is no name. It returns "" after the last round.
func (t Topic) querySubject(round int) string {
	name := t.Names["en"]
	switch {
	case name == "" && round+1 < len(t.Words):
		return t.Words[round] + " " + t.Words[round+1]
	case name == "" || round > len(t.Words):
		return ""
	case round == 0:
		return name
	}
	return name + " " + t.Words[round-1]
}

// CallYear returns the year of the conferences whose calls are open at a time. They take place about half a
// year later.
func CallYear(now time.Time) int { return now.AddDate(0, 6, 0).Year() }

// DisciplineNames are the names of the disciplines by id and language.
var DisciplineNames = map[string]map[string]string{
	"informatics": {"en": "computer science", "fr": "informatique", "de": "Informatik", "es": "informática", "pt": "computação"},
	"mathematics": {"en": "mathematics", "fr": "mathématiques", "de": "Mathematik", "es": "matemáticas", "pt": "matemática"},
	"physics":     {"en": "physics", "fr": "physique", "de": "Physik", "es": "física", "pt": "física"},
	"chemistry":   {"en": "chemistry", "fr": "chimie", "de": "Chemie", "es": "química", "pt": "química"},
	"sociology":   {"en": "sociology", "fr": "sociologie", "de": "Soziologie", "es": "sociología", "pt": "sociologia"},
	"biology":     {"en": "biology", "fr": "biologie", "de": "Biologie", "es": "biología", "pt": "biologia"},
	"medicine":    {"en": "medicine", "fr": "médecine", "de": "Medizin", "es": "medicina", "pt": "medicina"},
	"linguistics": {"en": "linguistics", "fr": "linguistique", "de": "Linguistik", "es": "lingüística", "pt": "linguística"},
	"economics":   {"en": "economics", "fr": "économie", "de": "Wirtschaftswissenschaften", "es": "economía", "pt": "economia"},
}

// WordOfStem returns the word for a stem of the discipline model, or "" if the stem is not useful in a search
// engine. The model's small classes also give weight to names of people and places.
func WordOfStem(stem string) string { return stemWords[stem] }

// GuessWordOfStem returns a word for any stem, or "" if the stem is not usable. Snowball's English stemmer changes a
// final y to i, which is reversed. Other endings need not be restored, because search engines stem too.
func GuessWordOfStem(stem string) string {
	if WordOfStem(stem) != "" {
		return WordOfStem(stem)
	}
	if len(stem) < 4 || strings.ContainsFunc(stem, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return ""
	}
	if cut, ok := strings.CutSuffix(stem, "i"); ok {
		return cut + "y"
	}
	return stem
}

// stemWords maps subject stems of the discipline model to words. They are the most frequent form in the
// training pages, or the technical term that contains the stem.
var stemWords = map[string]string{
	"robot": "robotics", "vision": "computer vision", "softwar": "software engineering", "web": "web", "secur": "security",
	"schedul": "scheduling", "machin": "machine learning", "deep": "deep learning", "hardwar": "hardware",
	"nlp": "natural language processing", "constraint": "constraint programming", "databas": "databases",
	"architectur": "computer architecture", "multimedia": "multimedia", "privaci": "privacy", "concurr": "concurrency",
	"distribut": "distributed systems", "data": "data", "network": "networks",

	"algebra": "algebra", "calculus": "calculus", "differenti": "differential equations",
	"geometri": "geometry", "stochast": "stochastic processes", "arithmet": "arithmetic", "equat": "equations",
	"topolog": "topology", "martingal": "martingales", "markov": "markov chains", "combinator": "combinatorics",
	"probabl": "probability", "bayesian": "bayesian statistics", "statist": "statistics", "hyperbol": "hyperbolic geometry",

	"matter": "condensed matter", "quantum": "quantum", "astronomi": "astronomy", "star": "stars", "astrophys": "astrophysics",
	"ion": "ions", "nuclear": "nuclear physics", "atom": "atoms", "galaxi": "galaxies", "planet": "planets", "solar": "solar physics",
	"radiat": "radiation", "beam": "beams", "photon": "photonics", "neutron": "neutrons", "cosmic": "cosmic rays", "vibrat": "vibration",
	"plasma": "plasma",

	"chemic": "chemical", "fuel": "fuels", "batteri": "batteries", "distil": "distillation", "molecul": "molecules",
	"molecular": "molecular", "metal": "metals", "carbon": "carbon", "sensor": "sensors", "adsorpt": "adsorption",
	"hydrogen": "hydrogen", "kinet": "kinetics", "polym": "polymers", "photochemistri": "photochemistry", "isotop": "isotopes",

	"societi": "society", "crime": "crime", "behaviour": "behaviour", "femin": "feminism", "rural": "rural", "norm": "social norms",
	"govern": "government", "citizenship": "citizenship", "inequ": "inequality", "polit": "politics", "conflict": "conflict",

	"biolog": "biological", "ecolog": "ecology", "cell": "cells", "plant": "plants", "genom": "genomics", "speci": "species",
	"bioinformat": "bioinformatics", "dna": "dna", "cancer": "cancer", "protein": "proteins", "gene": "genes", "genet": "genetics",
	"mutat": "mutations", "agricultur": "agriculture",

	"health": "health", "medic": "medical", "diseas": "disease", "diabet": "diabetes", "therapi": "therapy", "nurs": "nursing",
	"clinic": "clinical", "hospit": "hospital", "patient": "patients", "pandem": "pandemic",

	"discours": "discourse", "languag": "language", "dialogu": "dialogue", "spoken": "spoken language", "semant": "semantics",
	"corpora": "corpora", "corpus": "corpus", "grammar": "grammar", "gestur": "gesture", "annot": "annotation", "pars": "parsing",
	"morpholog": "morphology", "acquisit": "language acquisition", "syntax": "syntax", "sentenc": "sentence processing",

	"market": "markets", "busi": "business", "financ": "finance", "financi": "financial", "enterpris": "enterprise", "price": "prices",
	"audit": "auditing", "insur": "insurance", "labor": "labor", "incom": "income", "growth": "growth", "demograph": "demography",
}
