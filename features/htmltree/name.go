package htmltree

import "golang.org/x/net/html/atom"

// A name is a known name of an element or an attribute, 0 for any other. Known names are those used
// by the tree builder, and frequent ones.
type name uint8

// The known names of elements; some are attributes too.
const (
	nameOther name = iota
	tagA
	tagAbbr
	tagAcronym
	tagAddress
	tagAnnotationXml
	tagApplet
	tagArea
	tagArticle
	tagAside
	tagAudio
	tagB
	tagBase
	tagBasefont
	tagBdi
	tagBdo
	tagBgsound
	tagBig
	tagBlink
	tagBlockquote
	tagBody
	tagBr
	tagButton
	tagCanvas
	tagCaption
	tagCenter
	tagCite
	tagCode
	tagCol
	tagColgroup
	tagData
	tagDatalist
	tagDd
	tagDel
	tagDesc
	tagDetails
	tagDfn
	tagDialog
	tagDir
	tagDiv
	tagDl
	tagDt
	tagEm
	tagEmbed
	tagFieldset
	tagFigcaption
	tagFigure
	tagFont
	tagFooter
	tagForeignobject
	tagForm
	tagFrame
	tagFrameset
	tagG
	tagH1
	tagH2
	tagH3
	tagH4
	tagH5
	tagH6
	tagHead
	tagHeader
	tagHgroup
	tagHr
	tagHtml
	tagI
	tagIframe
	tagImage
	tagImg
	tagInput
	tagIns
	tagKbd
	tagKeygen
	tagLabel
	tagLegend
	tagLi
	tagLink
	tagListing
	tagMain
	tagMalignmark
	tagMap
	tagMark
	tagMarquee
	tagMath
	tagMenu
	tagMenuitem
	tagMeta
	tagMglyph
	tagMi
	tagMn
	tagMo
	tagMs
	tagMtext
	tagNav
	tagNobr
	tagNoembed
	tagNoframes
	tagNoscript
	tagObject
	tagOl
	tagOptgroup
	tagOption
	tagOutput
	tagP
	tagParam
	tagPath
	tagPicture
	tagPlaintext
	tagPre
	tagQ
	tagRb
	tagRect
	tagRp
	tagRt
	tagRtc
	tagRuby
	tagS
	tagSamp
	tagScript
	tagSearch
	tagSection
	tagSelect
	tagSlot
	tagSmall
	tagSource
	tagSpan
	tagStrike
	tagStrong
	tagStyle
	tagSub
	tagSummary
	tagSup
	tagSvg
	tagSymbol
	tagTable
	tagTbody
	tagTd
	tagTemplate
	tagTextarea
	tagTfoot
	tagTh
	tagThead
	tagTime
	tagTitle
	tagTr
	tagTrack
	tagTt
	tagU
	tagUl
	tagUse
	tagVar
	tagVideo
	tagWbr
	tagXmp
)

// The known names that only attributes have.
const (
	attrAction = tagXmp + 1 + iota
	attrAlign
	attrAlt
	attrAriaHidden
	attrAriaLabel
	attrAsync
	attrBackground
	attrBgcolor
	attrBorder
	attrCellpadding
	attrCellspacing
	attrCharset
	attrChecked
	attrClass
	attrColor
	attrColspan
	attrContent
	attrDataDate
	attrDatetime
	attrDefer
	attrDisabled
	attrEncoding
	attrFace
	attrFor
	attrHeight
	attrHidden
	attrHref
	attrHttpEquiv
	attrId
	attrItemprop
	attrItemscope
	attrItemtype
	attrLang
	attrLanguage
	attrLoading
	attrMedia
	attrMethod
	attrName
	attrNofollow
	attrNowrap
	attrOnclick
	attrOpen
	attrPlaceholder
	attrProperty
	attrRel
	attrRole
	attrRowspan
	attrSize
	attrSizes
	attrSrc
	attrSrcdoc
	attrSrcset
	attrStart
	attrTabindex
	attrTarget
	attrType
	attrValign
	attrValue
	attrViewbox
	attrWidth
	attrXmlns
	numNames
)

// nameText holds the names in lower case.
var nameText = [numNames]string{
	tagA:             "a",
	tagAbbr:          "abbr",
	tagAcronym:       "acronym",
	tagAddress:       "address",
	tagAnnotationXml: "annotation-xml",
	tagApplet:        "applet",
	tagArea:          "area",
	tagArticle:       "article",
	tagAside:         "aside",
	tagAudio:         "audio",
	tagB:             "b",
	tagBase:          "base",
	tagBasefont:      "basefont",
	tagBdi:           "bdi",
	tagBdo:           "bdo",
	tagBgsound:       "bgsound",
	tagBig:           "big",
	tagBlink:         "blink",
	tagBlockquote:    "blockquote",
	tagBody:          "body",
	tagBr:            "br",
	tagButton:        "button",
	tagCanvas:        "canvas",
	tagCaption:       "caption",
	tagCenter:        "center",
	tagCite:          "cite",
	tagCode:          "code",
	tagCol:           "col",
	tagColgroup:      "colgroup",
	tagData:          "data",
	tagDatalist:      "datalist",
	tagDd:            "dd",
	tagDel:           "del",
	tagDesc:          "desc",
	tagDetails:       "details",
	tagDfn:           "dfn",
	tagDialog:        "dialog",
	tagDir:           "dir",
	tagDiv:           "div",
	tagDl:            "dl",
	tagDt:            "dt",
	tagEm:            "em",
	tagEmbed:         "embed",
	tagFieldset:      "fieldset",
	tagFigcaption:    "figcaption",
	tagFigure:        "figure",
	tagFont:          "font",
	tagFooter:        "footer",
	tagForeignobject: "foreignobject",
	tagForm:          "form",
	tagFrame:         "frame",
	tagFrameset:      "frameset",
	tagG:             "g",
	tagH1:            "h1",
	tagH2:            "h2",
	tagH3:            "h3",
	tagH4:            "h4",
	tagH5:            "h5",
	tagH6:            "h6",
	tagHead:          "head",
	tagHeader:        "header",
	tagHgroup:        "hgroup",
	tagHr:            "hr",
	tagHtml:          "html",
	tagI:             "i",
	tagIframe:        "iframe",
	tagImage:         "image",
	tagImg:           "img",
	tagInput:         "input",
	tagIns:           "ins",
	tagKbd:           "kbd",
	tagKeygen:        "keygen",
	tagLabel:         "label",
	tagLegend:        "legend",
	tagLi:            "li",
	tagLink:          "link",
	tagListing:       "listing",
	tagMain:          "main",
	tagMalignmark:    "malignmark",
	tagMap:           "map",
	tagMark:          "mark",
	tagMarquee:       "marquee",
	tagMath:          "math",
	tagMenu:          "menu",
	tagMenuitem:      "menuitem",
	tagMeta:          "meta",
	tagMglyph:        "mglyph",
	tagMi:            "mi",
	tagMn:            "mn",
	tagMo:            "mo",
	tagMs:            "ms",
	tagMtext:         "mtext",
	tagNav:           "nav",
	tagNobr:          "nobr",
	tagNoembed:       "noembed",
	tagNoframes:      "noframes",
	tagNoscript:      "noscript",
	tagObject:        "object",
	tagOl:            "ol",
	tagOptgroup:      "optgroup",
	tagOption:        "option",
	tagOutput:        "output",
	tagP:             "p",
	tagParam:         "param",
	tagPath:          "path",
	tagPicture:       "picture",
	tagPlaintext:     "plaintext",
	tagPre:           "pre",
	tagQ:             "q",
	tagRb:            "rb",
	tagRect:          "rect",
	tagRp:            "rp",
	tagRt:            "rt",
	tagRtc:           "rtc",
	tagRuby:          "ruby",
	tagS:             "s",
	tagSamp:          "samp",
	tagScript:        "script",
	tagSearch:        "search",
	tagSection:       "section",
	tagSelect:        "select",
	tagSlot:          "slot",
	tagSmall:         "small",
	tagSource:        "source",
	tagSpan:          "span",
	tagStrike:        "strike",
	tagStrong:        "strong",
	tagStyle:         "style",
	tagSub:           "sub",
	tagSummary:       "summary",
	tagSup:           "sup",
	tagSvg:           "svg",
	tagSymbol:        "symbol",
	tagTable:         "table",
	tagTbody:         "tbody",
	tagTd:            "td",
	tagTemplate:      "template",
	tagTextarea:      "textarea",
	tagTfoot:         "tfoot",
	tagTh:            "th",
	tagThead:         "thead",
	tagTime:          "time",
	tagTitle:         "title",
	tagTr:            "tr",
	tagTrack:         "track",
	tagTt:            "tt",
	tagU:             "u",
	tagUl:            "ul",
	tagUse:           "use",
	tagVar:           "var",
	tagVideo:         "video",
	tagWbr:           "wbr",
	tagXmp:           "xmp",
	attrAction:       "action",
	attrAlign:        "align",
	attrAlt:          "alt",
	attrAriaHidden:   "aria-hidden",
	attrAriaLabel:    "aria-label",
	attrAsync:        "async",
	attrBackground:   "background",
	attrBgcolor:      "bgcolor",
	attrBorder:       "border",
	attrCellpadding:  "cellpadding",
	attrCellspacing:  "cellspacing",
	attrCharset:      "charset",
	attrChecked:      "checked",
	attrClass:        "class",
	attrColor:        "color",
	attrColspan:      "colspan",
	attrContent:      "content",
	attrDataDate:     "data-date",
	attrDatetime:     "datetime",
	attrDefer:        "defer",
	attrDisabled:     "disabled",
	attrEncoding:     "encoding",
	attrFace:         "face",
	attrFor:          "for",
	attrHeight:       "height",
	attrHidden:       "hidden",
	attrHref:         "href",
	attrHttpEquiv:    "http-equiv",
	attrId:           "id",
	attrItemprop:     "itemprop",
	attrItemscope:    "itemscope",
	attrItemtype:     "itemtype",
	attrLang:         "lang",
	attrLanguage:     "language",
	attrLoading:      "loading",
	attrMedia:        "media",
	attrMethod:       "method",
	attrName:         "name",
	attrNofollow:     "nofollow",
	attrNowrap:       "nowrap",
	attrOnclick:      "onclick",
	attrOpen:         "open",
	attrPlaceholder:  "placeholder",
	attrProperty:     "property",
	attrRel:          "rel",
	attrRole:         "role",
	attrRowspan:      "rowspan",
	attrSize:         "size",
	attrSizes:        "sizes",
	attrSrc:          "src",
	attrSrcdoc:       "srcdoc",
	attrSrcset:       "srcset",
	attrStart:        "start",
	attrTabindex:     "tabindex",
	attrTarget:       "target",
	attrType:         "type",
	attrValign:       "valign",
	attrValue:        "value",
	attrViewbox:      "viewbox",
	attrWidth:        "width",
	attrXmlns:        "xmlns",
}

// A trait is a property of HTML elements in the standard's algorithms.
type trait uint8

const (
	isSpecial    trait = 1 << iota // "special" (HTML §13.2.4.2)
	isFormatting                   // "formatting" (§13.2.4.2)
	endsScope                      // stops "has an element in scope" (§13.2.4.2)
	endsImplied                    // "generate implied end tags" (§13.2.6.3)
	breaksOut                      // ends foreign content (§13.2.6.5)
	fosters                        // its text and children go before the table (§13.2.6.1)
)

// traits are the traits of each name.
var traits = [256]trait{
	tagA:          isFormatting,
	tagAddress:    isSpecial,
	tagApplet:     isSpecial | endsScope,
	tagArea:       isSpecial,
	tagArticle:    isSpecial,
	tagAside:      isSpecial,
	tagB:          isFormatting | breaksOut,
	tagBase:       isSpecial,
	tagBasefont:   isSpecial,
	tagBgsound:    isSpecial,
	tagBig:        isFormatting | breaksOut,
	tagBlockquote: isSpecial | breaksOut,
	tagBody:       isSpecial | breaksOut,
	tagBr:         isSpecial | breaksOut,
	tagButton:     isSpecial,
	tagCaption:    isSpecial | endsScope,
	tagCenter:     isSpecial | breaksOut,
	tagCode:       isFormatting | breaksOut,
	tagCol:        isSpecial,
	tagColgroup:   isSpecial,
	tagDd:         isSpecial | endsImplied | breaksOut,
	tagDetails:    isSpecial,
	tagDir:        isSpecial,
	tagDiv:        isSpecial | breaksOut,
	tagDl:         isSpecial | breaksOut,
	tagDt:         isSpecial | endsImplied | breaksOut,
	tagEm:         isFormatting | breaksOut,
	tagEmbed:      isSpecial | breaksOut,
	tagFieldset:   isSpecial,
	tagFigcaption: isSpecial,
	tagFigure:     isSpecial,
	tagFont:       isFormatting,
	tagFooter:     isSpecial,
	tagForm:       isSpecial,
	tagFrame:      isSpecial,
	tagFrameset:   isSpecial,
	tagH1:         isSpecial | breaksOut,
	tagH2:         isSpecial | breaksOut,
	tagH3:         isSpecial | breaksOut,
	tagH4:         isSpecial | breaksOut,
	tagH5:         isSpecial | breaksOut,
	tagH6:         isSpecial | breaksOut,
	tagHead:       isSpecial | breaksOut,
	tagHeader:     isSpecial,
	tagHgroup:     isSpecial,
	tagHr:         isSpecial | breaksOut,
	tagHtml:       isSpecial | endsScope,
	tagI:          isFormatting | breaksOut,
	tagIframe:     isSpecial,
	tagImg:        isSpecial | breaksOut,
	tagInput:      isSpecial,
	tagKeygen:     isSpecial,
	tagLi:         isSpecial | endsImplied | breaksOut,
	tagLink:       isSpecial,
	tagListing:    isSpecial | breaksOut,
	tagMain:       isSpecial,
	tagMarquee:    isSpecial | endsScope,
	tagMenu:       isSpecial | breaksOut,
	tagMeta:       isSpecial | breaksOut,
	tagNav:        isSpecial,
	tagNobr:       isFormatting | breaksOut,
	tagNoembed:    isSpecial,
	tagNoframes:   isSpecial,
	tagNoscript:   isSpecial,
	tagObject:     isSpecial | endsScope,
	tagOl:         isSpecial | breaksOut,
	tagOptgroup:   endsImplied,
	tagOption:     endsImplied,
	tagP:          isSpecial | endsImplied | breaksOut,
	tagParam:      isSpecial,
	tagPlaintext:  isSpecial,
	tagPre:        isSpecial | breaksOut,
	tagRb:         endsImplied,
	tagRp:         endsImplied,
	tagRt:         endsImplied,
	tagRtc:        endsImplied,
	tagRuby:       breaksOut,
	tagS:          isFormatting | breaksOut,
	tagScript:     isSpecial,
	tagSearch:     isSpecial,
	tagSection:    isSpecial,
	tagSelect:     isSpecial | endsScope,
	tagSmall:      isFormatting | breaksOut,
	tagSource:     isSpecial,
	tagSpan:       breaksOut,
	tagStrike:     isFormatting | breaksOut,
	tagStrong:     isFormatting | breaksOut,
	tagStyle:      isSpecial,
	tagSub:        breaksOut,
	tagSummary:    isSpecial,
	tagSup:        breaksOut,
	tagTable:      isSpecial | endsScope | breaksOut | fosters,
	tagTbody:      isSpecial | fosters,
	tagTd:         isSpecial | endsScope,
	tagTemplate:   isSpecial | endsScope,
	tagTextarea:   isSpecial,
	tagTfoot:      isSpecial | fosters,
	tagTh:         isSpecial | endsScope,
	tagThead:      isSpecial | fosters,
	tagTitle:      isSpecial,
	tagTr:         isSpecial | fosters,
	tagTrack:      isSpecial,
	tagTt:         isFormatting | breaksOut,
	tagU:          isFormatting | breaksOut,
	tagUl:         isSpecial | breaksOut,
	tagVar:        breaksOut,
	tagWbr:        isSpecial,
	tagXmp:        isSpecial,
}

// nameAtoms holds the atom of each name; nameSlots maps hashes by hashName to names.
var (
	nameAtoms [numNames]atom.Atom
	nameSlots [1 << 11][2]name
)

func init() {
	for n := name(1); n < numNames; n++ {
		nameAtoms[n] = atom.Lookup([]byte(nameText[n]))
		h := uint32(0)
		for _, c := range []byte(nameText[n]) {
			h = hashName(h, c)
		}
		slot := &nameSlots[h%uint32(len(nameSlots))]
		switch {
		case slot[0] == 0:
			slot[0] = n
		case slot[1] == 0:
			slot[1] = n
		default:
			panic("htmltree: three names share a slot of nameSlots; change hashName")
		}
	}
}

// hashName adds a byte in lower case to the hash of a name.
func hashName(h uint32, c byte) uint32 { return h*131 + uint32(c) }

// lookupName returns the known name equal to s, ignoring case; h is its hash.
func lookupName(s string, h uint32) name {
	slot := &nameSlots[h%uint32(len(nameSlots))]
	if equalName(s, nameText[slot[0]]) {
		return slot[0]
	}
	if equalName(s, nameText[slot[1]]) {
		return slot[1]
	}
	return nameOther
}

// equalName reports whether s equals lower, ignoring case; lower is in lower case and not empty.
func equalName(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		if lowerByte[s[i]] != lower[i] {
			return false
		}
	}
	return lower != ""
}
