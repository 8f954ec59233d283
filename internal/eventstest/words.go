package eventstest

import (
	"math/rand/v2"

	"github.com/eventseer/eventseer/eventseer"
)

// An area is a field of research and the topics of its calls.
type area struct {
	name   string
	topics []string
}

var areas = []area{
	{"Web search", []string{"web crawling", "focused crawling", "web archives", "ranking", "query expansion", "recommender systems", "link analysis", "question answering", "digital libraries", "text classification", "entity linking", "evaluation of search", "conversational search", "news clipping", "duplicate detection", "index compression"}},
	{"Machine learning", []string{"deep learning", "kernel methods", "reinforcement learning", "active learning", "graph neural networks", "representation learning", "optimization", "generative models", "causal inference", "federated learning", "explainable models", "transfer learning", "time series", "anomaly detection", "online learning", "clustering"}},
	{"Databases", []string{"query processing", "transaction processing", "data integration", "stream processing", "graph databases", "data cleaning", "provenance", "spatial data", "indexing", "knowledge graphs", "data warehouses", "schema matching", "privacy of data", "cloud storage", "approximate queries"}},
	{"Security", []string{"malware analysis", "web security", "applied cryptography", "access control", "privacy technologies", "network intrusion", "hardware security", "fuzzing", "authentication", "usable security", "side channels", "blockchain", "secure protocols", "vulnerability discovery", "threat modelling"}},
	{"Software engineering", []string{"software testing", "program analysis", "requirements engineering", "software architecture", "code review", "mining repositories", "formal verification", "refactoring", "continuous integration", "open source", "program repair", "model checking", "technical debt", "configuration", "developer tools"}},
	{"Networks", []string{"wireless networks", "network measurement", "edge computing", "internet of things", "congestion control", "software defined networking", "vehicular networks", "peer to peer", "content delivery", "sensor networks", "network management", "mobile systems", "routing", "satellite links"}},
	{"Human-computer interaction", []string{"accessibility", "visualization", "ubiquitous computing", "virtual reality", "participatory design", "eye tracking", "games", "social computing", "wearables", "conversational agents", "user modelling", "crowdsourcing", "tangible interfaces", "digital health"}},
	{"Language", []string{"machine translation", "information extraction", "speech recognition", "parsing", "sentiment analysis", "summarization", "language models", "low resource languages", "dialogue systems", "corpus linguistics", "lexical semantics", "multilingual search", "argument mining", "fact checking"}},
	{"Vision and graphics", []string{"object detection", "image segmentation", "medical imaging", "rendering", "geometry processing", "video analysis", "pose estimation", "remote sensing", "biometrics", "scene understanding", "image retrieval", "animation", "document analysis", "point clouds"}},
	{"Theory", []string{"graph algorithms", "complexity", "combinatorics", "randomized algorithms", "logic in computer science", "automata", "computational geometry", "game theory", "data structures", "type systems", "quantum computing", "distributed algorithms", "coding theory", "proof assistants"}},
	{"Education", []string{"programming education", "learning analytics", "distance learning", "mobile learning", "curriculum design", "assessment", "teacher training", "educational games", "open resources", "intelligent tutoring", "inclusive education", "computational thinking"}},
	{"Life and earth", []string{"bioinformatics", "genomics", "climate models", "renewable energy", "smart grids", "precision agriculture", "epidemiology", "neuroscience", "drug discovery", "water management", "environmental monitoring", "systems biology", "materials science"}},
	{"Humanities and society", []string{"digital humanities", "cultural heritage", "legal informatics", "electronic government", "science of science", "open access", "ethics of technology", "media studies", "social networks", "archives and records", "history of computing", "smart cities"}},
	{"Engineering", []string{"robotics", "control theory", "embedded systems", "signal processing", "power electronics", "manufacturing", "autonomous driving", "digital twins", "reliability", "process mining", "logistics", "parallel computing", "compilers", "high performance computing"}},
}

type place struct{ city, region, country, code string }

var places = []place{
	{"Trondheim", "", "Norway", "NO"}, {"Oslo", "", "Norway", "NO"}, {"Patras", "", "Greece", "GR"}, {"Athens", "", "Greece", "GR"},
	{"Thessaloniki", "", "Greece", "GR"}, {"Berlin", "", "Germany", "DE"}, {"München", "Bavaria", "Germany", "DE"}, {"Hamburg", "", "Germany", "DE"},
	{"Paris", "", "France", "FR"}, {"Lyon", "", "France", "FR"}, {"Madrid", "", "Spain", "ES"}, {"Barcelona", "Catalonia", "Spain", "ES"},
	{"Porto", "", "Portugal", "PT"}, {"Lisbon", "", "Portugal", "PT"}, {"Rome", "", "Italy", "IT"}, {"Milan", "", "Italy", "IT"},
	{"Pisa", "Tuscany", "Italy", "IT"}, {"Zürich", "", "Switzerland", "CH"}, {"Vienna", "", "Austria", "AT"}, {"Prague", "", "Czech Republic", "CZ"},
	{"Brno", "", "Czech Republic", "CZ"}, {"Kraków", "", "Poland", "PL"}, {"Warsaw", "", "Poland", "PL"}, {"Budapest", "", "Hungary", "HU"},
	{"Ljubljana", "", "Slovenia", "SI"}, {"Zagreb", "", "Croatia", "HR"}, {"Belgrade", "", "Serbia", "RS"}, {"Sofia", "", "Bulgaria", "BG"},
	{"Bucharest", "", "Romania", "RO"}, {"Tallinn", "", "Estonia", "EE"}, {"Riga", "", "Latvia", "LV"}, {"Vilnius", "", "Lithuania", "LT"},
	{"Helsinki", "", "Finland", "FI"}, {"Stockholm", "", "Sweden", "SE"}, {"Copenhagen", "", "Denmark", "DK"}, {"Amsterdam", "", "Netherlands", "NL"},
	{"Leuven", "", "Belgium", "BE"}, {"Dublin", "", "Ireland", "IE"}, {"London", "", "United Kingdom", "GB"}, {"Glasgow", "Scotland", "United Kingdom", "GB"},
	{"Reykjavík", "", "Iceland", "IS"}, {"Istanbul", "", "Turkey", "TR"}, {"Nicosia", "", "Cyprus", "CY"}, {"Haifa", "", "Israel", "IL"},
	{"New York", "New York", "USA", "US"}, {"San Francisco", "California", "USA", "US"}, {"Seattle", "Washington", "USA", "US"},
	{"Boston", "Massachusetts", "USA", "US"}, {"Austin", "Texas", "USA", "US"}, {"Chicago", "Illinois", "USA", "US"}, {"Portland", "Oregon", "USA", "US"},
	{"Toronto", "Ontario", "Canada", "CA"}, {"Vancouver", "British Columbia", "Canada", "CA"}, {"Montréal", "Quebec", "Canada", "CA"},
	{"Mexico City", "", "Mexico", "MX"}, {"São Paulo", "", "Brazil", "BR"}, {"Recife", "Pernambuco", "Brazil", "BR"}, {"Buenos Aires", "", "Argentina", "AR"},
	{"Santiago", "", "Chile", "CL"}, {"Bogotá", "", "Colombia", "CO"}, {"Lima", "", "Peru", "PE"}, {"Beijing", "", "China", "CN"},
	{"Shanghai", "", "China", "CN"}, {"Chengdu", "Sichuan", "China", "CN"}, {"Hong Kong", "", "Hong Kong", "HK"}, {"Taipei", "", "Taiwan", "TW"},
	{"Tokyo", "", "Japan", "JP"}, {"Kyoto", "", "Japan", "JP"}, {"Seoul", "", "South Korea", "KR"}, {"Busan", "", "South Korea", "KR"},
	{"Singapore", "", "Singapore", "SG"}, {"Bangkok", "", "Thailand", "TH"}, {"Hanoi", "", "Vietnam", "VN"}, {"Kuala Lumpur", "", "Malaysia", "MY"},
	{"Jakarta", "", "Indonesia", "ID"}, {"Manila", "", "Philippines", "PH"}, {"Bengaluru", "Karnataka", "India", "IN"}, {"New Delhi", "", "India", "IN"},
	{"Dubai", "", "United Arab Emirates", "AE"}, {"Doha", "", "Qatar", "QA"}, {"Cairo", "", "Egypt", "EG"}, {"Tunis", "", "Tunisia", "TN"},
	{"Marrakesh", "", "Morocco", "MA"}, {"Nairobi", "", "Kenya", "KE"}, {"Lagos", "", "Nigeria", "NG"}, {"Accra", "", "Ghana", "GH"},
	{"Cape Town", "", "South Africa", "ZA"}, {"Sydney", "New South Wales", "Australia", "AU"}, {"Melbourne", "Victoria", "Australia", "AU"},
	{"Auckland", "", "New Zealand", "NZ"},
}

var (
	coreRanks = []weight{{"A*", 8}, {"A", 20}, {"B", 37}, {"C", 35}}
	ccfRanks  = []weight{{"A", 20}, {"B", 40}, {"C", 40}}
	zones     = []weight{{"AoE", 68}, {"UTC", 8}, {"UTC+1", 6}, {"UTC-5", 5}, {"UTC+8", 3}, {"", 10}}
)

var givenNames = []string{"Ada", "Bela", "Carlo", "Dunja", "Eirik", "Fatima", "Georgia", "Hiro", "Ines", "Jomo", "Katya", "Lin", "Mina", "Nils", "Olga", "Pavel", "Rania", "Sven", "Thandi", "Yuki"}

var familyNames = []string{"Abelsen", "Bouros", "Castelo", "Dimakis", "Eriksten", "Fonseka", "Grabner", "Horvatic", "Ishimura", "Jensvold", "Kovalik", "Lindqvist", "Mbekari", "Norberg", "Okafori", "Petrakis", "Quintero", "Rossetto", "Sundby", "Tanakawa"}

// sentences of clips; %s are topics.
var sentences = []string{
	"The meeting brings together people who work on %s. Papers of up to twelve pages are reviewed by three readers.",
	"Topics are, among others, %s. Work in progress is welcome, and so are reports from practice.",
	"We look for new results on %s, and for studies that repeat earlier ones.",
	"This year there is a track on %s; the best papers go on to a journal.",
}

// A named kind is a kind of event and what titles call it.
type namedKind struct {
	kind  eventseer.Kind
	words string
	of100 int
}

var kinds = []namedKind{
	{eventseer.Conference, "International Conference", 55}, {eventseer.Workshop, "Workshop", 27}, {eventseer.Symposium, "Symposium", 10},
	{eventseer.SummerSchool, "Summer School", 4}, {eventseer.SpecialIssue, "Special Issue", 4},
}

func pickKind(r *rand.Rand) namedKind {
	n := r.IntN(100)
	for _, k := range kinds {
		if n -= k.of100; n < 0 {
			return k
		}
	}
	return kinds[0]
}
