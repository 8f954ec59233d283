package date

import "strings"

// rareMonthNames lists the months, January first, in languages that few calls use. Source: Unicode CLDR
// (Unicode License v3). A slash separates the forms of a name. "-" means that month.go already has the
// name.
var rareMonthNames = map[string]string{
	"Afrikaans":     "januarie februarie - - - junie julie - - - - -",
	"Albanian":      "janar shkurt - prill - qershor korrik gusht shtator tetor nëntor dhjetor",
	"Amharic":       "ጃንዩወሪ/ጃንዋሪ ፌብሩወሪ ማርች ኤፕሪል ሜይ ጁን ጁላይ ኦገስት ሴፕቴምበር ኦክቶበር ኖቬምበር ዲሴምበር",
	"Armenian":      "հունվարի/հունվար փետրվարի/փետրվար մարտի/մարտ ապրիլի/ապրիլ մայիսի/մայիս հունիսի/հունիս հուլիսի/հուլիս օգոստոսի/օգոստոս սեպտեմբերի/սեպտեմբեր հոկտեմբերի/հոկտեմբեր նոյեմբերի/նոյեմբեր դեկտեմբերի/դեկտեմբեր",
	"Basque":        "urtarrila/urtarrilaren otsaila/otsailaren martxoa/martxoaren apirila/apirilaren maiatza/maiatzaren ekaina/ekainaren uztaila/uztailaren abuztua/abuztuaren iraila/irailaren urria/urriaren azaroa/azaroaren abendua/abenduaren",
	"Bengali":       "জানুয়ারি/জানুয়ারী ফেব্রুয়ারি/ফেব্রুয়ারী মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর",
	"Georgian":      "იანვარი/იანვარს/იანვრის თებერვალი/თებერვალს/თებერვლის მარტი/მარტს/მარტის აპრილი/აპრილს/აპრილის მაისი/მაისს/მაისის ივნისი/ივნისს/ივნისის ივლისი/ივლისს/ივლისის აგვისტო/აგვისტოს სექტემბერი/სექტემბერს/სექტემბრის ოქტომბერი/ოქტომბერს/ოქტომბრის ნოემბერი/ნოემბერს/ნოემბრის დეკემბერი/დეკემბერს/დეკემბრის",
	"Gujarati":      "જાન્યુઆરી ફેબ્રુઆરી માર્ચ એપ્રિલ મે જૂન જુલાઈ ઑગસ્ટ/ઓગસ્ટ સપ્ટેમ્બર ઑક્ટોબર/ઓક્ટોબર નવેમ્બર ડિસેમ્બર",
	"Icelandic":     "janúar febrúar - - maí júní júlí ágúst - október nóvember -",
	"Kannada":       "ಜನವರಿ ಫೆಬ್ರವರಿ ಮಾರ್ಚ್ ಏಪ್ರಿಲ್ ಮೇ ಜೂನ್ ಜುಲೈ ಆಗಸ್ಟ್ ಸೆಪ್ಟೆಂಬರ್ ಅಕ್ಟೋಬರ್ ನವೆಂಬರ್ ಡಿಸೆಂಬರ್",
	"Kazakh":        "қаңтар ақпан наурыз сәуір мамыр маусым шілде тамыз қыркүйек қазан қараша желтоқсан",
	"Khmer":         "មករា កុម្ភៈ មីនា មេសា ឧសភា មិថុនា កក្កដា សីហា កញ្ញា តុលា វិច្ឆិកា ធ្នូ",
	"Lao":           "ມັງກອນ ກຸມພາ ມີນາ ເມສາ ພຶດສະພາ ມິຖຸນາ ກໍລະກົດ ສິງຫາ ກັນຍາ ຕຸລາ ພະຈິກ ທັນວາ",
	"Luxembourgish": "- - mäerz abrëll mee - - - - - - -",
	"Malayalam":     "ജനുവരി ഫെബ്രുവരി മാർച്ച് ഏപ്രിൽ മേയ്/മെയ് ജൂൺ ജൂലൈ ഓഗസ്റ്റ് സെപ്റ്റംബർ ഒക്ടോബർ നവംബർ ഡിസംബർ",
	"Maltese":       "jannar frar marzu - mejju ġunju lulju awwissu settembru ottubru novembru diċembru",
	"Marathi":       "जानेवारी फेब्रुवारी - एप्रिल मे - जुलै ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर",
	"Nepali":        "- फेब्रुअरी - अप्रिल मे जुन - अगस्ट सेप्टेम्बर अक्टोबर नोभेम्बर डिसेम्बर",
	"Punjabi":       "ਜਨਵਰੀ ਫ਼ਰਵਰੀ/ਫਰਵਰੀ ਮਾਰਚ ਅਪ੍ਰੈਲ ਮਈ ਜੂਨ ਜੁਲਾਈ ਅਗਸਤ ਸਤੰਬਰ ਅਕਤੂਬਰ ਨਵੰਬਰ ਦਸੰਬਰ",
	"Swahili":       "- - machi aprili - - - agosti septemba oktoba novemba desemba",
	"Tajik":         "январ феврал - апрел - - - - сентябр октябр ноябр декабр",
	"Tamil":         "ஜனவரி பிப்ரவரி மார்ச் ஏப்ரல் மே ஜூன் ஜூலை ஆகஸ்ட் செப்டம்பர் அக்டோபர் நவம்பர் டிசம்பர்",
	"Telugu":        "జనవరి ఫిబ్రవరి మార్చి ఏప్రిల్ మే జూన్ జులై/జూలై ఆగస్టు సెప్టెంబర్/సెప్టెంబరు అక్టోబర్/అక్టోబరు నవంబర్/నవంబరు డిసెంబర్/డిసెంబరు",
	"Thai":          "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม",
	"Urdu":          "جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر",
	"Uzbek":         "- - - - - - - - sentabr oktabr - -",
	"Welsh":         "ionawr chwefror mawrth ebrill - mehefin gorffennaf awst medi hydref tachwedd rhagfyr",
}

// addRareMonths adds rareMonthNames to m.
func addRareMonths(m map[string]int) {
	for _, names := range rareMonthNames {
		for i, forms := range strings.Fields(names) {
			for _, name := range strings.Split(forms, "/") {
				if name != "-" {
					m[canonicalWord(name)] = i + 1
				}
			}
		}
	}
}
