//! Words of the trade that stand for each other.
//!
//! Curated by hand, from the trade at large and not from any set of queries. A word may stand in
//! several lines; a meaning is never followed further than one step.

mod far;

use super::words::fold;
use far::FAR;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Verbs of one meaning, a line each. Behind `>` stand words that the ones before it may mean,
/// but that do not mean them.
const VERBS: &str = "
create add new make
provision register insert generate initialize > create add
setup > create configure set install
start begin launch open > create run
append attach put include > add
compose draft write > create
save store > create write update
remember > create add save
onboard > create add
delete remove drop destroy erase
wipe purge trash discard revoke detach clear uninstall kick fire evict > delete remove
forget getrid throwaway > delete remove
offboard suspend > deactivate remove
get list show fetch retrieve read view
display describe see look check inspect enumerate browse obtain details > get list show read
give tell provide print load info information open > get
recall > get search read
grab > get download
recent latest newest last > list history
find search query lookup
locate discover filter hunt grep google > search find list
update edit change modify set patch
replace alter adjust configure switch tweak rewrite > update set
close reopen hide > update
rename retitle call > update
rename > move
mark flag > set update
assign > add set
prioritize urgent > priority
send post publish
say tell notify announce broadcast email message share dm ping > send post
reply respond answer > comment
react > reaction
run execute invoke trigger
launch start dispatch kickoff perform > run trigger
rerun retry rebuild redo > run restart
repeat resend redeliver > retry
stop cancel abort terminate
kill halt end interrupt shutdown > stop cancel
restart reboot
restart resume > start
spinup > create start
copy clone duplicate
fork > copy clone
move transfer migrate
relocate drag > move
upload download > file
upload > import
export > download
enable activate
disable deactivate
turnon > enable start
turnoff > disable stop
merge combine
close complete finish resolve
done tick tickoff > complete close
undo > reopen restore revert reset
rollback revert > restore reset
recover undelete bringback > restore
approve accept
reject decline deny dismiss
ban > block
unban > unblock
lock freeze protect
guard > protection
invite > add member invitation
join enroll > add
follow subscribe watch
unfollow > unsubscribe
compare diff
difference changed > diff compare
validate verify check test
convert transform translate
calculate compute
estimate predict forecast
schedule plan
book reserve > create
buy sell purchase > order place create
pay > payment charge
moneyback reimburse > refund
bookmark favorite favourite like > star
draw plot visualize render > chart generate
capture > screenshot
visit goto open > navigate
type enter > fill
scrape extract crawl > get content fetch
ssh shell > exec
scale resize
analyze analyse examine investigate audit
summarize > summary
identify recognize detect
track monitor watch
connect link > add
mute silence > disable
deploy publish release
install > add
expire rotate renew
roll toss throw > flip random
archive > close
";

/// All other words, likewise.
const NOUNS: &str = "
repo repository
project codebase > repo
issue ticket bug
task todo
item reminder chore > task
pr pullrequest > pull
mergerequest mr > merge pull
message dm chat
conversation thread > message
history > message log
channel room
folder directory
file document doc
user member
person people someone somebody colleague teammate employee account > user member
collaborator > member user
owner > registrant
visitor visit > traffic view
team group
squad crew > team
org organization organisation
company enterprise workspace > org
comment reply
remark feedback annotation > comment
note > comment page
wiki > page
label tag
picture photo pic > image
image screenshot
painting artwork art > image object
web internet online
site website webpage
page > site document
url link
db database
row record
entry > record item
line > row
column field attribute
column lane > list
property field
cell range > sheet
sheet spreadsheet
excel > workbook spreadsheet
email mail
gmail inbox > email
inbox alert > notification
calendar meeting appointment > event
price cost pricing
cheap expensive fee rate spend > price cost
usage consumption > billing
customer client
buyer > customer
invoice bill
billing > invoice
payment charge
transaction > payment
discount promo voucher > coupon
chargeback > dispute
subscription > plan
monthly recurring > subscription
version release
branch > ref
ci pipeline workflow
ci build automation > job run pipeline workflow
worker agent > runner
execution > run
step > job
failing broken red > failed
output > log artifact
trace > log
stderr stdout > log
credential password > secret
token key > secret
signin login > session authentication
mfa twofactor > factor
certificate cert
vm machine
server instance > machine
container docker
rollout > deployment
replica > scale
rain umbrella sunny temperature climate > weather
forecast > weather
directions route
navigation drive driving walk > directions route
far > distance
longitude latitude coordinate > geocode location
altitude height > elevation
location place
restaurant shop cafe hotel nearby > place
apartment stay rental accommodation > listing
address > location geocode
slide > presentation
deck powerpoint > presentation ppt slide
ppt presentation
song track audio
music > song track
bpm > tempo beat
stock ticker
equity > stock
portfolio > holding position
earning profit revenue > income financial
crypto coin
bitcoin > crypto
currency dollar euro > exchange rate
recipe meal dish
cook food dinner lunch eat > recipe meal
sprint cycle iteration
roadmap > initiative project
deadline duedate > due milestone
bucket > milestone
board kanban > project
card > item
blocker blocked > dependency block
watcher subscriber follower
unread > notification
emoji thumb thumbsup > reaction
permission role access
privilege right > permission
admin administrator
vulnerability cve
vulnerable > vulnerability
exploit leak leaked > vulnerability alert
sast > scanning
dependency package
library module > package dependency
outdated > version
popularity > download
licence license
snippet > gist code
hook webhook
endpoint callback > webhook
status state
health > status
quota throttle > limit
setting config configuration
preference option > setting
env environment
variable > env
hostname > host
diagram chart graph
histogram pie bar > chart
backup snapshot
zip tarball > archive
clock > time
timezone > time
headline > news
trending popular > trend hot
video youtube
transcript caption subtitle
paper article publication
study research > paper trial
phone > call
sms > message
statistic stat metric
size > dimension
schema structure
disk drive
volume > disk
blob object
lambda > function
app application
contributor author > commit
blame > author
reviewer > review
approval > review
duplicate related relation > link
subtask > task child
block > content
k8s > kubernetes
namespace ns
pvc > persistentvolumeclaim
serviceaccount sa
regex > pattern
activity > event history
audit > log
policy rule
attendee participant > member
assignee > member user
profile > user account
avatar > image
search > query
amount balance
date day
random > pick
dice > random
flight train > ticket
word docx > document
pdf > document
text > content
math arithmetic expression > calculate
advice suggestion tip > recommendation
advise suggest > recommendation recommend
guide tutorial howto > documentation doc
documentation doc
fact knowledge > memory entity
graph > relation
";

/// How two words belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bond {
    Verb,
    Noun,
    /// Followed only where the catalogue lacks the word itself.
    Far,
}

/// What a word may stand for.
type Meanings = Vec<(&'static str, Bond)>;

/// The words that stand for the folded `word`, each with how it belongs to it.
pub(super) fn of(word: &str) -> &'static [(&'static str, Bond)] {
    static TABLE: OnceLock<HashMap<String, Meanings>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table = HashMap::new();
        read(VERBS, Bond::Verb, &mut table);
        read(NOUNS, Bond::Noun, &mut table);
        read(FAR, Bond::Far, &mut table);
        table
    });
    table.get(word).map_or(&[], Vec::as_slice)
}

fn read(lines: &'static str, bond: Bond, table: &mut HashMap<String, Meanings>) {
    for line in lines.lines() {
        let (same, wider) = line.split_once('>').unwrap_or((line, ""));
        for word in same.split_whitespace() {
            let meanings = table.entry(fold(word).into_owned()).or_default();
            let directed = line.contains('>');
            let others = if directed { wider } else { same };
            for other in others.split_whitespace().filter(|o| *o != word) {
                if !meanings.iter().any(|(known, _)| *known == other) {
                    meanings.push((other, bond));
                }
            }
        }
    }
}
