package keyword

import "github.com/eventseer/eventseer/internal/text"

// callWords are words that stand in calls of all subjects, as written in lower case or as stems.
var callWords = text.WordSet(`
abstract abstracts academia acceptance accepted access acm aim aims announcement anonymous april area areas article articles
attendance attendee attendees august author authors award awards best blind book call calls camera ccs cfp chair chairs city co-chair
co-chairs co-located code committee committees conference conferences conduct contact contribution contributions copyright country
date dates day days deadline deadlines december demo demos department details discussion doctoral edition editor editors
email e-mail event events extension experience experts extended fax february fee final first follow following form format forum full
general goal goals guest guideline guidelines home hotel ieee important industry information institute instructions international
interest invitation invited issue issues january journal july june keynote keynotes last latex letter link links list local location
long mail manuscript manuscripts march material may meeting meetings members monday month name national new news notification november
number objective october online open oral organization organizer organizers organisers other others page pages panel panels paper
papers participant participants participation past pdf people person phone place poster posters practitioner practitioners present
presentation presentations proceedings professor program programme proposal proposals publication publications publisher question
questions registration related relevance report research researcher researchers result results review reviewer reviewers reviews
room round saturday schedule school science scope second section see september series session sessions short site society
speaker speakers special sponsor sponsors springer state steering student students style submission submissions submit sunday symposium
talk talks template templates text theme themes thursday time title today topic topics track tracks travel tuesday tutorial tutorials
university updates upcoming use various venue version volume way web website wednesday week welcome work works workshop workshops world
year years you friday lncs elsevier easychair open-access aoe non-archival vitae general-chair program-chair high original
unpublished relevant novel recent current different many several such previous next key main major significant wide broad
quality opportunity opportunities community communities field fields part type types kind kinds number range variety
usa uk germany france italy spain china japan canada australia india portugal netherlands austria switzerland greece sweden norway
denmark belgium poland ireland singapore korea brazil mexico dr prof phd mr ms univ dept inc ltd gmbh edu org com html http https www
`)
