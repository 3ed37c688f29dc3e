//! The wide part of the table: everyday words of the trade. The first half was written before any
//! query was looked at, the second after some dev queries had been seen; it was kept because no
//! dev set lost by it, which says little of its worth elsewhere.

/// Words that hardly any tool uses. They are followed only where the catalogue lacks the word
/// itself: what it knows means there what its tools mean by it.
pub(super) const FAR: &str = "
craft build produce construct spawn form > create generate
cleanup tidy prune > delete clear remove
takedown eliminate scrap nuke strip > delete remove
lookup pullup findout > get search find
swap substitute exchange > replace update
fix correct amend revise tune adapt override overwrite customize > update edit
toggle flip switchon switchoff > enable disable set
raise increase lower reduce decrease bump > update set
postpone reschedule snooze defer > update move
extend prolong > renew update
pick choose select > get select
glance peek preview > get view preview
tail > log
chase nudge > remind reminder send
inform alert warn > send notify notification alert
forward relay > send forward
poll > get check
measure gauge profile > metric measure
count tally howmany > count number total
sum total add > sum total
sort order rank > sort order
crop trim cut clip > crop trim cut
shrink compress > resize compress
rotate mirror > rotate flip
zip pack bundle > archive compress
unzip unpack decompress > extract archive
cipher > encrypt
decipher > decrypt
transcribe dictate > transcript transcription
speak pronounce readaloud > speech audio
listen hear play > play audio
pause hold > pause stop
unpause continue proceed > resume start
attend > join event
jot jotdown notedown writedown > create note add
fillin fillout > fill update
handover handoff reassign delegate > transfer assign
pull > get fetch
push > upload send
synchronize mirror > sync
bulk batch > batch bulk
seed populate > create insert
rollout ship > deploy release publish
boot poweron > start boot
poweroff shutdown > stop shutdown
spinup bringup > create start
scaleup scaledown autoscale > scale
reload refresh > update refresh reload
migrate port > migrate move
test try > test run
lint format > lint format
debug troubleshoot diagnose > debug log diagnostic
follow > trace
blacklist blocklist > block
whitelist allowlist permit grant authorize > allow permission add
forbid prohibit ban > deny block
verify confirm authenticate > verify check
sign esign > sign signature
vote upvote rate > vote rating like
review critique assess evaluate score > review rating evaluate
tap press hit > click
click press tap
swipe > scroll
mouseover > hover
drop drag > drag drop
log record > log record create
logout signout > logout session
login signin authenticate
signup register > register create
unlink disconnect > remove delete
withdraw retract > cancel delete
reimburse return > refund
ship dispatch deliver > shipment fulfillment delivery
reopen reactivate > reopen open enable
stick > pin
unpin > remove pin
embed > embed embedding
train finetune > train training
ask question query > ask query question
answer explain > answer explain
localize > translate
spell proofread > grammar check
highlight annotate > annotation comment
crosspost reblog repost retweet > repost share
browse explore > list browse
paginate next > list
traverse walk > list
fire > trigger
broadcast > send broadcast
transmit > send
dial ring > call phone
escalate > escalate priority
triage > label assign triage
groom > sort backlog
defect problem fault complaint > issue bug
story epic backlog > issue
ask > request
severity importance urgency > priority
reporter requester > creator user
sprint iteration
estimate storypoint > estimate points
mention > user mention
presence online away > presence status
dms > message
huddle standup sync catchup > meeting event
attachment enclosure > attachment file
bin recycle > trash
shortcut bookmark > link bookmark
sharing share > permission share
agenda diary > calendar event
busy availability freetime slot > availability freebusy
invite invitation
rsvp > event response attendee
birthday anniversary > event
vacation holiday leave pto timeoff ooo > leave absence holiday
shift rota roster oncall pager > schedule oncall
lead prospect > lead contact
deal opportunity
addressbook > contact
proposal > quote
newsletter mailing > campaign
audience segment > list segment audience
payout withdrawal > payout transfer
wire remittance > transfer
wallet fund money > balance wallet
bank > account bank
vat gst > tax
receipt > invoice receipt
donation gift > donation gift
ledger bookkeeping accounting > account ledger journal
reimbursement > expense
budget > budget cost
ec2 droplet > instance
s3 > bucket object
storage > bucket storage
firewall securitygroup > rule firewall
loadbalancer lb > loadbalancer balancer
dns nameserver > domain dns record
hostname website > domain
ssl tls https > certificate
cdn > cache distribution
subnet vpc > network subnet vpc
ip ipaddress > ip address
gpu cpu ram > resource metric memory
host > node
pod container
helm chart > chart release
ingress > ingress route
cronjob cron recurring > schedule cron
queue topic > queue topic
sqs sns pubsub kafka > queue topic message
serverless > function
region zone > region location
changelog > release
trunk master mainline > branch
revision sha hash > commit
patch > diff patch
conflict > merge
blob > file blob
readme > file readme
submodule > repository
star favorite
watch > subscription
pipeline workflow
artifact > artifact build
testrun suite > test
coverage > coverage test
outage downtime incident > incident status
alarm alert
panel widget > dashboard panel
dashboard board
latency slowness performance slow > performance metric latency trace
uptime availability > health uptime
crash exception stacktrace error > error exception issue event
heartbeat > health check
span > trace span
sql > query database
collection > table collection
tuple > row
migration > migration schema
foreignkey constraint > constraint schema
primarykey > index
sentence paragraph > text content
junk > spam
footer > signature
recipient > to recipient
subject title > subject title
headline > title
street postcode zipcode > address geocode
congestion > traffic
eta traveltime > duration distance matrix
nearby near around close > nearby search place
airfare plane airline > flight
trip journey itinerary > trip itinerary
travel > trip flight hotel
booking reservation
hostel lodging accommodation > hotel
bus tram subway metro > transit
podcast > podcast episode
film movie cinema
show series tv > show movie
lyric > song lyric
album artist band singer > artist album
mixtape > playlist
myself whoami > user authenticated current
me > user
somebody > user
staff workforce > employee user
manager boss supervisor > manager user
resume cv > resume candidate
applicant candidate
vacancy opening > job
salary wage payroll compensation > salary payroll
definition meaning > definition dictionary
synonym antonym > thesaurus word
tweet toot > tweet post
feed timeline > feed timeline
hashtag > tag hashtag
yield > dividend
marketcap > market
lamp bulb > light
thermostat heating > climate temperature thermostat
gene genome dna > gene sequence
compound drug medicine > compound drug molecule
cart basket
product merchandise goods > product item
inventory stockroom warehouse > inventory stock
parcel package shipping delivery > shipment shipping delivery
sku > product variant
malware virus > malware threat scan
breach leak > breach leak
tab > tab page
button > element click
textbox input > input fill field
dropdown > select option
popup modal > dialog
dialog > dialog alert
cookie > cookie storage
viewport window > window page
network request traffic > network request
console > console log
keyboard key > key press
ai llm gpt > model ai
embedding vector > vector embedding
neural network > model
dataset data > dataset data
plot graph > chart plot
spreadsheet workbook
formula > formula cell
pivot > pivot table
survey questionnaire poll form > form survey poll
quiz exam > quiz question
response answer submission > response submission
course lesson class > course class
pupil > student
instructor > teacher
homework assignment > assignment coursework
mark > grade
property house home realestate > property listing
car vehicle
game match > game match
score result > score result
tournament > league
zodiac > horoscope
funny > joke
saying > quote
trivia > fact
password passphrase > password secret
otp onetime > code otp
sso saml > sso saml
apikey pat accesstoken > token key
acl > permission access
tz > timezone
faq helpcenter knowledgebase > article knowledge
kb > knowledge article
kpi > metric
okr objective > goal
goal objective target
crm > contact deal
hr > employee
qa testing > test
ui interface > ui screen
otp > code
nda agreement > contract document
contract agreement
clause > contract
survey > form
whiteboard canvas > board canvas
mockup wireframe design prototype > design file
colour > color
font typography > font style
asset media > asset media file
thumbnail icon > image thumbnail icon
gif sticker > gif sticker emoji
barcode qr qrcode > qr code
clip recording > recording video
voice speech > voice speech audio
sound audio
subtitle caption > caption transcript
pdf > pdf document
csv tsv > csv table
json yaml > json file
folder dir
path > path file
symlink > link
chmod > permission
checksum md5 > hash checksum
ocr > text image ocr
own belong > list get
keep retain preserve > save retention
hide conceal > lock minimize private
reveal expose > show get
expel > remove delete
promote demote > role update set
enlist recruit hire > add invite create
contribute > commit create
inspect audit scan > get check scan
download save export > download export get
open view see > get open
put place store > add create upload
carry bring take > move get
hand pass > assign transfer send
bind wire hook > connect attach link
free release > unlock delete
block stop prevent > block disable prevent
allow let permit > enable allow
speed accelerate > performance
rename relabel > rename update
reword rephrase > update edit rewrite
rebase sync catchup > update merge sync
squash > merge
tagged labelled labeled > label tag
remark respond > comment
converse discuss debate > discussion comment
decline refuse > reject decline dismiss
postpone > update
allocate reserve > create allocate
boost improve optimize > optimize update
refine polish > update
wake > start
sleep nap > stop wait
bring > restore
reclaim > restore delete
point redirect > redirect route update
decorate style format > format theme style
sketch draw > draw create drawing
depict illustrate > generate image diagram
compile > build
containerize dockerize > image container
host serve > deploy host
crack guess > predict
double triple > scale
mention cite > mention reference
collect gather > list get collect
contrast > compare
join combine concatenate > merge join combine
divide separate > split
reorder rearrange sort > reorder sort move
code implementation > code file content
workspace > folder
snippet paste pastebin > gist
watcher stargazer fan > stargazer watcher subscriber
maintainer owner admin > admin owner member
coworker workmate mate > user member
newcomer newbie > member invitation
who whose > user member author
headcount > member user
reviewer approver > review reviewer
sidebar menu > navigation
homepage landing > page site
contributor committer author
change checkin > commit
history past earlier previous > history list
workload > deployment pod
rollback > rollout undo
autoscaler > horizontalpodautoscaler scale
claim > persistentvolumeclaim
daemon background > daemonset service
scheduled nightly periodic > cron schedule
serviceaccount robot bot > serviceaccount app
privacy visibility private > private visibility
secretkey privatekey > secret key
sshkey gpgkey > key
twofa 2fa > twofactor authentication
sandbox devbox devcontainer > codespace environment
copilot assistant > agent
plan tier sku > plan sku
seat license
spending cost money > billing cost usage
budget limit cap > limit budget quota
allowance > quota limit
storage space > storage usage quota
container repo registry image > image registry
artifact binary download > artifact asset
attachment download > asset
advisory ghsa
finding > alert
scan scanning
leak exposed > secret alert
supply sbom bill > sbom dependency
rule guard restriction protection > protection rule ruleset
gatekeeping approval gate > approval protection review
webhook event > webhook hook
integration plugin addon extension
store shop > marketplace
machine hardware > machine runner
speed throughput > metric performance
load stress > loadtest loadtesting
chaos > resiliency drill
disaster dr failover > failover recovery
resilience > recovery
vault safe > vault keyvault
appconfig featureflag flag toggle > setting feature flag
website webapp > webapp appservice
stream streaming > eventhub stream
logging logs > log monitor
telemetry observability > monitor insight metric log
bill cost > invoice cost
nosql mongo document > cosmos database document
relational > sql database
server dbserver > server database
filesystem share nfs smb > file share storage
classroom > classroom course
ticket > card
kanban column lane swimlane > list board
checklist todo
subtask substep > checklist subtask
initiative project
teamspace space > space workspace
wiki > wiki page
doc page > page document
paragraph section block > block section
grid > table
slide deck > slide presentation
boilerplate starter > template
theme look palette > theme color
logo icon brand > brand image
drawing sketch diagram
uml flowchart sequence > diagram
atlas > map
coordinate gps position whereabouts > location geocode coordinate
route path way > route direction
stop platform > station
departure arrival timetable > schedule station ticket
train railway rail > train ticket station
price quotation value worth > price quote
share equity stock > stock share
earning balancesheet financial > financial income
news headline story > news article
trend trending viral hot popular > trend trending hot
rank ranking leaderboard ladder > ranking leaderboard rank
player summoner gamer > summoner player
match game > match game
champion hero character > champion character
esport lineup > schedule match
dish > recipe
weather climate forecast
air pollution smog > quality air
quake seismic > earthquake
paper preprint study > paper article
citation cite reference bibliography > citation reference
trademark > patent
clinical > trial
essay article > article document
encyclopedia wikipedia > wikipedia article
domain whois registrar > whois domain
availability free taken > availability check
seo backlink serp > search keyword
searchterm > keyword
crawl spider scrape > crawl scrape
screenshot snapshot capture > screenshot snapshot
tap > click
typing > type fill
form field > fill
upload attach > upload file
page dom html > page html content
devtools > console
profile performance > profile performance trace
remember > memory
entity node > entity node
relation edge link > relation edge link
thought reasoning think > thinking sequential
memo > note
mail letter > email
sender from > sender email
sender > domain
contact audience subscriber > contact audience
text sms > message sms
channel room
emoji reaction
subject > topic
call phone ring > call phone
voice speak say > speech voice
caption > transcript
clip footage > video
picture > image
palette colour > color
uuid guid > uuid id
digest > hash
dice coin > random
digit > number
pick draw choose > choice random sample
mix > shuffle
time clock hour now today > time current date
countdown > timer
alarm > reminder
calculator math > calculate math
unit measurement conversion > convert unit
currency exchange money > currency exchange rate convert
translate language > translation language
sentiment mood tone > sentiment analysis
summary tldr gist digest > summary summarize
json yaml xml > json parse
csv spreadsheet > csv sheet
md > markdown
cell range > cell range
function > formula
plot graph > chart
server tool mcp > mcp server
skill capability > skill tool
guide bestpractice recommendation advice > bestpractice recommendation practice
health ok alive > health status
fail broken error > error failed
slow lag latency > performance latency
uptime down outage > health availability incident
oncall > schedule
feedback suggestion idea > feedback issue
vote poll > vote poll
thank > reaction
checkout pay > checkout payment
purchase > order
buyer shopper > customer
item article > product
coupon discount code > coupon promotion
recurring membership > subscription
bank > payout
dispute chargeback
fund > balance
bill > invoice
url > link
";
