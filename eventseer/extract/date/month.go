package date

import (
	"strings"

	"eventseer/internal/text"
)

// monthNames lists the months' names, lower case and as they stand beside a
// day (genitive, partitive), in the Latin script.
var monthNames = [12]string{
	"january jan januar jän jänner januari janvier janv enero ene janeiro xaneiro gennaio genn gener stycznia styczeń ledna leden januára január ianuarie januárja januarja januara siječnja janvāris janvārī sausio jaanuar ocak yanvar",
	"february feb febr februar feber februari février fevrier févr fev febrero fevereiro febreiro febbraio febbr febrer lutego luty února únor februára február februarie februarja februara veljače februāris februārī vasario veebruar şubat subat fevral",
	"march mar march märz maerz mrz mars marzo março marco maart maaliskuuta març marca marec marzec března březen március marts martā martie märts maret ožujka kovo",
	"april apr apri avril avr abril abr aprile kwietnia kwiecień dubna duben apríla apríl aprílis április aprilie aprilja travnja aprīlis aprīlī aprill balandžio nisan aprel",
	"may mai mayo maio maggio magg mei maig maja maj května květen mája máj május svibnja maijs maijā gegužės mayıs mayis",
	"june jun juni juin junio junho giugno giu juny xuño czerwca czerwiec června červen júna jún június iunie junija juna lipnja jūnijs jūnijā birželio juuni haziran iyun",
	"july jul juli juillet juil julio julho luglio lug juliol xullo lipca lipiec července červenec júla júl július iulie julija srpnja jūlijs jūlijā liepos juuli temmuz iyul julai",
	"august aug août aout agosto augustus agost sierpnia sierpień srpna srpen augustusza augusztus avgusta kolovoza augusts augustā rugpjūčio ağustos agustos agustus augusti avqust ogos",
	"september sep sept septembre septiembre setiembre setembro settembre sett setembre września wrzesień září septembra szeptember szept septembrie rujna septembris septembrī rugsėjo eylül eylul sentyabr",
	"october oct oktober okt octobre octubre outubro ottobre ott octubre października październik října říjen októbra október octombrie oktobra oktobris oktobrī spalio oktoober ekim oktyabr",
	"november nov novembre noviembre novembro listopada listopadu listopad novembra noiembrie studenoga studenog novembris novembrī lapkričio kasım kasim noyabr",
	"december dec dezember dez décembre decembre déc diciembre dic dezembro dicembre desembre grudnia grudzień prosince prosinec decembra decembrie prosinca decembris decembrī gruodžio detsember aralık aralik desember dekabr disember",
}

// otherMonthNames lists them in other scripts: Russian, Ukrainian, Belarusian,
// Bulgarian, Serbian, Macedonian; Greek; Arabic, Persian; Hebrew; Hindi.
var otherMonthNames = [12]string{
	"января январь янв січня січень студзеня януари јануар јануара јануари ιανουαρίου ιανουάριος ιαν يناير جانفي ژانویه ינואר בינואר जनवरी",
	"февраля февраль фев лютого лютий лютага февруари фебруар фебруара фебруари φεβρουαρίου φεβρουάριος φεβ فبراير فيفري فوریه פברואר בפברואר फरवरी फ़रवरी",
	"марта март мар березня березень сакавіка μαρτίου μάρτιος μαρ مارس ماس מרץ במרץ मार्च",
	"апреля апрель апр квітня квітень красавіка април априла απριλίου απρίλιος απρ أبريل ابريل إبريل أفريل آوریل אפריל באפריל अप्रैल",
	"мая май травня травень мај маја μαΐου μάιος μαϊ μάι مايو ماي مه מאי במאי मई",
	"июня июнь июн червня червень чэрвеня юни јун јуна јуни ιουνίου ιούνιος ιουν يونيو جوان ژوئن יוני ביוני जून",
	"июля июль июл липня липень ліпеня юли јул јула јули ιουλίου ιούλιος ιουλ يوليو جويلية ژوئیه יולי ביולי जुलाई",
	"августа август авг серпня серпень жніўня αυγούστου αύγουστος αυγ أغسطس اغسطس أوت اوت אוגוסט באוגוסט अगस्त",
	"сентября сентябрь сен сент вересня вересень верасня септември септембар септембра σεπτεμβρίου σεπτέμβριος σεπ σεπτ سبتمبر سپتامبر ספטמבר בספטמבר सितंबर सितम्बर",
	"октября октябрь окт жовтня жовтень кастрычніка октомври октобар октобра οκτωβρίου οκτώβριος οκτ أكتوبر اكتوبر اکتبر אוקטובר באוקטובר अक्टूबर",
	"ноября ноябрь ноя нояб листопада листопад лістапада ноември новембар новембра νοεμβρίου νοέμβριος νοε نوفمبر نوامبر נובמבר בנובמבר नवंबर नवम्बर",
	"декабря декабрь дек грудня грудень снежня декември децембар децембра δεκεμβρίου δεκέμβριος δεκ ديسمبر دسامبر דצמבר בדצמבר दिसंबर दिसम्बर",
}

// finnishMonths are the stems of the Finnish names: tammikuu, tammikuuta.
var finnishMonths = strings.Fields("tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu")

// wordyMonths are names that are common words of English; they are months only
// on a page that is not English.
var wordyMonths = map[string]int{"set": 9, "out": 10, "ago": 8, "mart": 3, "marta": 3, "augusta": 8, "aprila": 4}

// croatianMonths have another meaning in the languages around.
var croatianMonths = map[string]int{"listopada": 10, "listopad": 10}

var months = func() map[string]int {
	m := map[string]int{}
	for i := range 12 {
		for _, name := range strings.Fields(monthNames[i] + " " + otherMonthNames[i]) {
			m[name] = i + 1
		}
		for _, end := range []string{"kuu", "kuuta", "kuun"} {
			m[finnishMonths[i]+end] = i + 1
		}
	}
	addFarMonths(m)
	return m
}()

// misspelt maps what one slip of the pen makes of the longer English names to
// the month, as no other word comes so near: Feburary, Novemeber.
var misspelt = func() map[string]int {
	m := map[string]int{}
	for i, name := range []string{"january", "february", "", "", "", "", "", "", "september", "october", "november", "december"} {
		for k := range name {
			m[name[:k]+name[k+1:]] = i + 1
			for c := 'a'; c <= 'z'; c++ {
				m[name[:k]+string(c)+name[k:]] = i + 1
				m[name[:k]+string(c)+name[k+1:]] = i + 1
			}
			if k > 0 {
				m[name[:k-1]+name[k:k+1]+name[k-1:k]+name[k+1:]] = i + 1
			}
		}
	}
	return m
}()

// rangeWords join the two ends of a range.
var rangeWords = text.WordSet("to until till through thru bis au al a à hasta até ate fino tot til až po по до iki līdz ile sampai hingga đến έως ως إلى الى")

// listWords join two days of one month, but not two whole dates.
var listWords = text.WordSet("and or und oder et ou y e o en och og ja i и і та és dan và ve și si και و")

// ofWords stand between day, month and year.
var ofWords = text.WordSet("of de del di do the in von d dell od roku г год года р року năm dei")
