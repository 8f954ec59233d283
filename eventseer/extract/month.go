package extract

import "strings"

// monthNames lists the months' names in English, German, French, Spanish,
// Portuguese, Italian, Dutch, Catalan and Polish (genitive), lower case.
var monthNames = [12]string{
	"january jan januar jän jänner janvier janv enero ene janeiro gennaio genn januari gener stycznia",
	"february feb febr februar février fevrier févr fev febrero fevereiro febbraio febbr februari febrer lutego",
	"march mar march märz maerz mrz mars marzo março marco maart març marca",
	"april apr apri avril avr abril abr aprile kwietnia",
	"may mai mayo maio maggio magg mei maig maja",
	"june jun juni juin junio junho giugno giu juny czerwca",
	"july jul juli juillet juil julio julho luglio lug juliol lipca",
	"august aug août aout agosto augustus agost sierpnia",
	"september sep sept septembre septiembre setiembre setembro settembre sett setembre września",
	"october oct oktober okt octobre octubre outubro ottobre ott octubre października",
	"november nov novembre noviembre novembro listopada",
	"december dec dezember dez décembre decembre déc diciembre dic dezembro dicembre desembre grudnia",
}

// wordyMonths are abbreviations that are common words of English; they are
// months only on a page that is not English.
var wordyMonths = map[string]int{"set": 9, "out": 10, "ago": 8}

var months = func() map[string]int {
	m := map[string]int{}
	for i, names := range monthNames {
		for _, name := range strings.Fields(names) {
			m[name] = i + 1
		}
	}
	return m
}()

var weekdays = wordSet(`monday mon tuesday tue tues wednesday wed thursday thu thur thurs friday fri saturday sat sunday sun
	montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so
	lundi mardi mercredi jeudi vendredi samedi dimanche
	lunes martes miércoles miercoles jueves viernes sábado sabado domingo
	segunda terça terca quarta quinta sexta feira
	lunedì lunedi martedì martedi mercoledì mercoledi giovedì giovedi venerdì venerdi sabato domenica
	maandag dinsdag woensdag donderdag vrijdag zaterdag zondag`)

// rangeWords join the two ends of a range.
var rangeWords = wordSet("to until till through thru bis au al a à hasta até ate fino tot")

// listWords join two days of one month, but not two whole dates.
var listWords = wordSet("and or und oder et ou y e o en")

// ofWords stand between day, month and year.
var ofWords = wordSet("of de del di do the in")

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
