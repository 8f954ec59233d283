package features

import "strings"

// A language is one with special treatment in the tokenizer.
type language uint8

const (
	unknown language = iota
	english
	german
	french
	spanish
	portuguese
	italian
	catalan
	dutch
	swedish
	danish
	norwegian
	finnish
	polish
	czech
	hungarian
	romanian
	turkish
	indonesian
	numCounted          // number of languages that are recognized by counting common words
	russian    language = iota - 1
	ukrainian
	bulgarian
	greek
	arabic
	hebrew
	hindi
	thai
	chinese
	japanese
	korean
	numLanguages
)

// languageCodes are the codes of ISO 639-1.
var languageCodes = [numLanguages]string{
	english: "en", german: "de", french: "fr", spanish: "es", portuguese: "pt", italian: "it", catalan: "ca", dutch: "nl",
	swedish: "sv", danish: "da", norwegian: "no", finnish: "fi", polish: "pl", czech: "cs", hungarian: "hu", romanian: "ro",
	turkish: "tr", indonesian: "id", russian: "ru", ukrainian: "uk", bulgarian: "bg", greek: "el", arabic: "ar", hebrew: "he",
	hindi: "hi", thai: "th", chinese: "zh", japanese: "ja", korean: "ko",
}

// commonWords are the function words of each language written in Latin letters, as bits of the
// languages that share them. An apostrophe ends a word, so "l'appel" contains the word "l".
var commonWords = shareWords([numCounted]string{
	english: `a about after all also an and any are as at be been between but by can could each for from had has have he
		her his how if in into is it its just like may more most my new no not of on one only or other our out over she
		should so some such than that the their them then there these they this those through to up us use was we were
		what when where which who will with would you your`,
	german: `ab aber alle als am an auch auf aus bei beim bis das dass dem den der des die dieser diese dieses durch ein
		eine einem einen einer eines er es für haben hat hier ich ihre im in ist kann können man mehr mit nach nicht noch
		nur oder sein sich sie sind so sowie über um und uns unsere unter vom von vor war was weiter werden wenn wie wir
		wird wurde zu zum zur zwischen`,
	french: `à au aussi aux avec avons ce ces cette comme d dans de depuis des deux dont du elle en entre est et être eu
		fait il ils j je l la le les leur leurs lors mais même n ne nos notre nous on ont ou où par pas peut plus pour
		qu que qui s sa sans se ses si son sont sous sur tous tout très un une vos votre vous été`,
	spanish: `a al como con cuando de del desde donde durante e el ella en entre es esta este estas estos está fue ha han
		hasta la las le lo los más mediante muy no nos nuestra o otros para pero por que se según ser si sin sobre son su
		sus también tiene todo todos un una uno y ya`,
	portuguese: `a ao aos as até com como da das de do dos e é em entre essa esse esta este foi há isso já mais mas não
		na nas no nos o os ou para pela pelas pelo pelos por que quando se sem ser seu seus sobre sua suas são também
		tem uma um você à às através`,
	italian: `a agli ai al alla alle anche c che chi ci come con cui d da dal dalla dalle degli dei del della delle dello di
		dove e è gli ha hanno i il in l la le lo loro ma nei nel nella nelle non nostro o ogni per più quale quando
		questa questo se sempre si sia sono su sua sul sulla suo tra tutti un una uno`,
	catalan: `a al als amb aquest aquesta aquests això cada com d de del dels des el els en entre és ens fins ha han hi i
		l la les més mitjançant molt n no o on para pel pels per però qual que quan s sense seu seva ser si sobre són
		també tots tot un una va`,
	dutch: `aan al als bij dan dat de deze die dit door een en er geen het hier hun ik in is je kan kunnen maar meer met
		na naar niet nog nu of om onder ons onze ook op over te tegen tot tussen uit van veel voor was wat we wel werd
		wij worden wordt ze zich zijn zo`,
	swedish: `alla att av blir de den denna det detta där eller en ett från för genom har hos hur här i inom inte kan
		med mellan men mer mot ni när och också om oss på samt sig ska som till under upp ut vad var vara vi vid vår
		våra är även`,
	danish: `af alle at blev blive bliver da de den der det dette du efter eller en er et for fra gennem har hos hvad
		hvor i ikke ind jeg kan man med mellem men mere mod når nu og også om op os på samt sig skal som til ud under var
		ved vi vil vores være`,
	norwegian: `alle at av ble bli blir da de den denne der det dette du eller en er et etter for fra gjennom ha har hos
		hva hvor i ikke jeg kan man med mellom men mer mot når og også om opp oss på samt seg skal som til under ut var
		ved vi vil vår våre være`,
	finnish: `ei eikä ennen että he hän ja jo joka jos jossa jotka kanssa koska kuin kun me mitä muun mukaan mutta myös
		ne niin näin oli olla olivat on ovat se sekä sen siitä sitä tai tämä tämän vain välillä voi voidaan`,
	polish: `a aby ale być bez co czy dla do gdzie go i ich jak jako jego jest jej już które którego która który których
		lub ma może można na nad nie nich o od oraz po pod przed przez przy również s się są ta także tego tej ten to tych
		tylko tym u w we więc wszystkich z za ze że`,
	czech: `a ale ani až byl byla být do i jak jako je jeho jejich jen jsme jsou k kde která které který ke lze má mezi
		na nebo od o po pod pro při proto s se si také tak ten to tohoto u v ve více však z za ze že`,
	hungarian: `a alatt az azt csak de egy ez ezt és hogy ha is itt ki lehet már meg mint minden nagy nem olyan pedig
		sem szerint több után vagy van való volt által át`,
	romanian: `a ai al ale am au ca care ce cea cei cel cele cu dar de din după este fi fiind fost în între la lui mai
		nu o pe pentru prin sau să se si și sunt un unei unui va ș`,
	turkish: `ama ancak arasında bir bu çok da daha de diye en gibi hem her için ile ise kadar ki mi ne o olan olarak
		olduğu oldu sonra tarafından tüm ve veya ya`,
	indonesian: `ada adalah akan antara atau bagi dalam dan dapat dari dengan di ini itu juga karena ke kami lebih
		melalui oleh pada para saya secara sebagai serta telah tidak untuk yang`,
})

func shareWords(lists [numCounted]string) map[string]uint32 {
	shared := make(map[string]uint32)
	for l, list := range lists {
		for _, w := range strings.Fields(list) {
			shared[w] |= 1 << l
		}
	}
	return shared
}

// commonSpellings finds the common words by their spelling, most of which consist of ASCII letters.
var commonSpellings = indexCommon()

// A spellingTable is an open-addressed hash table with linear probing. It is small, because it has to be read
// again for each page.
type spellingTable struct {
	places [4096]uint16 // number of a word from 1, or 0: none
	words  []commonWord
}

// A commonWord is a word and the bits of its languages.
type commonWord struct {
	head, tail uint64
	mask       uint32
}

func indexCommon() *spellingTable {
	x := &spellingTable{words: make([]commonWord, 1, 1+len(commonWords))}
	for w, mask := range commonWords {
		c := spellingOf(w, unknown)
		x.places[x.placeOf(&c)] = uint16(len(x.words))
		x.words = append(x.words, commonWord{c.head, c.tail, mask})
	}
	return x
}

// placeOf returns the place of a word, or the free one where it should be.
func (x *spellingTable) placeOf(c *spelling) int {
	at := int(c.hashCode() % uint64(len(x.places)))
	for {
		w := &x.words[x.places[at]]
		if w.mask == 0 || w.head == c.head && w.tail == c.tail {
			return at
		}
		at = (at + 1) % len(x.places)
	}
}

// find returns the languages of a word, or 0.
func (x *spellingTable) find(c *spelling) uint32 { return x.words[x.places[x.placeOf(c)]].mask }
