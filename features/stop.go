package features

import "eventseer/internal/text"

// stopWords are lower-case words, as written, before stemming, that are left out of
// every document. They are so common in English that they say nothing of a text's
// topic: paper 002, section 3.1.2. Words that calls for papers live on (call,
// paper, submit, date, page) are not among them.
var stopWords = text.WordSet(`
a b c d e f g h i j k l m n o p q r s t u v w x y z
about above abroad accordingly across actually after afterwards again against ago ahead ain't albeit all allow allows
almost alone along alongside already also although altogether always am amid amidst among amongst an and another any
anybody anyhow anymore anyone anything anyway anyways anywhere apart appear are aren't around as aside ask asks at away
awfully back backwards bad badly barely basically be became because become becomes becoming been before beforehand began
begin begins behind being below beneath beside besides best better between beyond big bigger both bring but by came can
can't cannot cant certain certainly clearly come comes comings concerning consequently could couldn't couldst dare
daren't definitely despite did didn't different directly do does doesn't doing don't done down downwards due during
each earlier early effectively eight eighth either eleven else elsewhere enough entirely especially et etc even evenly
ever evermore every everybody everyone everything everywhere exactly except fairly far farther few fewer fifth fifteen
fifty first five following follows for forever formerly forth forty forward found four fourth from fully further
furthermore gave generally get gets getting give given gives giving go goes going gone good got gotten had hadn't half
hardly has hasn't have haven't having he he'd he'll he's hello hence her here here's hereabouts hereafter hereby herein
hereto hereupon hers herself hi him himself his hither hopefully how how's howbeit however hundred i'd i'll i'm i've ie
if immediately in inasmuch indeed indicates inner inside insofar instead into inward is isn't it it'd it'll it's its
itself just keep keeps kept knew know known knows large largely last lately later latter latterly least less lest let
let's like liked likely likewise little long longer look looking looks lot lots low lower made mainly make makes making
many may maybe mayn't me mean meantime meanwhile merely might mightn't mine more moreover most mostly much must mustn't
my myself namely near nearby nearly necessarily need needed needn't needs neither never nevertheless next nigh nine
ninety no nobody non none nonetheless nor normally not nothing notwithstanding now nowadays nowhere obviously of off
often oh ok okay old on once one one's ones only onto or other others otherwise ought oughtn't our ours ourselves out
outside over overall own particularly past per perhaps plus possibly presumably previously probably put quite rather
really reasonably recently regardless relatively respectively right round said same saw say saying says second secondly
see seeing seem seemed seeming seems seen self selves sent seven seventh several shall shan't she she'd she'll she's
should shouldn't since six sixth sixty so some somebody someday somehow someone something sometime sometimes somewhat
somewhere soon still such sure surely take taken takes taking tell ten tends than thank thanks that that'd that'll
that's thats the thee their theirs them themselves then thence there there'd there'll there's thereabouts thereafter
thereby therefore therefrom therein thereof thereto thereupon these they they'd they'll they're they've thing things
think third thirty this thorough thoroughly those thou though thousand three through throughout thru thus thy till to
today together told too took toward towards tried tries truly try trying twelve twenty twice two under underneath
undoubtedly unless unlike unlikely until unto up upon upwards us use used uses using usually various versus very via viz
want wanted wants was wasn't way ways we we'd we'll we're we've well went were weren't what what'd what'll what's
whatever whatsoever when when's whence whenever where where's whereabouts whereafter whereas whereby wherein whereof
whereto whereupon wherever whether which whichever while whilst whither who who'd who'll who's whoever whole whom
whomever whose why why's will willing wish with within without won't wonder would wouldn't ye yes yesterday yet you
you'd you'll you're you've your yours yourself yourselves`)
