package person

import (
	"strings"
	"unicode/utf8"
)

// The surnames of most Chinese and Korean people. A table of them is short, and the training sites contain
// too few such names to learn them.
const (
	hanSurnames    = "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖萧蕭田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫阎段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴覃武戴莫孔向汤湯温溫康施文牛洪简簡賴赖詹游連连柯"
	hangulSurnames = "김이박최정강조윤장임한오서신권황안송류홍전고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모"
)

// surnameKind returns 1 if a name begins with a common Chinese surname, 2 for a Korean one, and 0 for any other
// name.
func surnameKind(name string) int {
	r, _ := utf8.DecodeRuneInString(name)
	switch {
	case strings.ContainsRune(hanSurnames, r):
		return 1
	case strings.ContainsRune(hangulSurnames, r):
		return 2
	}
	return 0
}
