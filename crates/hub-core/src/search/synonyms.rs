//! Words of the trade that stand for each other.
//!
//! Curated by hand, from the trade at large and not from any set of queries. A word may stand in
//! several lines; a meaning is never followed further than one step.

use super::words::fold;
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
delete remove drop destroy erase
wipe purge trash discard revoke detach clear uninstall kick fire evict > delete remove
get list show fetch retrieve read view
display describe see look check inspect enumerate browse obtain details > get list show read
give tell provide print load info information > get
grab > get download
recent latest newest last > list history
find search query lookup
locate discover filter hunt > search find list
update edit change modify set patch
replace alter adjust configure switch tweak rewrite > update set
rename retitle call > update
mark flag > set update
assign > add set
send post publish
say tell notify announce broadcast email message share dm > send post
reply respond answer > comment
run execute invoke trigger
launch start dispatch kickoff perform rerun > run trigger
stop cancel abort terminate
kill halt end interrupt shutdown > stop cancel
restart reboot
restart resume > start
copy clone duplicate
fork > copy clone
move transfer migrate
relocate > move
upload download > file
export > download
enable activate
disable deactivate
turnon > enable start
turnoff > disable stop
merge combine
close complete finish resolve
done tick > complete close
reopen restore undo revert
rollback > revert restore
recover undelete > restore
approve accept
reject decline deny dismiss
ban > block
unban > unblock
lock freeze
invite > add member invitation
join enroll > add
follow subscribe watch
compare diff
difference changed > diff compare
validate verify check test
convert transform translate
calculate compute
estimate predict forecast
schedule plan
book reserve > create
pay > payment charge
reimburse > refund
bookmark favorite favourite like > star
draw plot visualize render > chart generate
scale resize
analyze analyse examine investigate
summarize > summary
identify recognize detect
track monitor watch
connect link > add
mute silence > disable
deploy publish release
install > add
expire rotate renew
";

/// All other words, likewise.
const NOUNS: &str = "
repo repository
project codebase > repo
issue ticket bug
task todo
item reminder > task
pr pullrequest > pull
mergerequest mr > merge
message dm chat
conversation thread > message
history > message
channel room
folder directory
file document doc
user member
person people someone somebody colleague teammate employee account > user member
owner > registrant
team group
squad > team
org organization organisation
company enterprise workspace > org
comment reply
remark feedback note annotation > comment
label tag
picture photo pic > image
image screenshot
web internet online
site website webpage
page > site document
url link
db database
row record
entry > record item
line > row
column field
attribute property
sheet spreadsheet
excel > workbook spreadsheet
email mail
gmail inbox > email
inbox alert > notification
calendar meeting appointment > event
price cost pricing
cheap expensive fee rate > price
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
ci build > job run pipeline
execution > run
step > job
output > log artifact
trace > log
credential password > secret
token key > secret
certificate cert
vm machine
server instance > machine
container docker
rollout > deployment
rain umbrella sunny temperature climate > weather
forecast > weather
directions route
navigation drive driving > directions route
far > distance
location place
restaurant shop cafe hotel nearby > place
address > location
slide > presentation
deck powerpoint > presentation ppt slide
ppt presentation
song track audio
music > song track
bpm > tempo beat
stock ticker
equity > stock
crypto > coin token
bitcoin > crypto
recipe meal dish
cook food dinner lunch eat > recipe meal
sprint cycle iteration
deadline duedate > due milestone
bucket > milestone
board > project
card > item
unread > notification
emoji thumb thumbsup > reaction
permission role
privilege right > permission
admin administrator
vulnerability cve
vulnerable > vulnerability
exploit leak leaked > vulnerability alert
dependency package
library module > package dependency
snippet > gist code
hook webhook
endpoint callback > webhook
status state
health > status
setting config configuration
preference option > setting
env environment
variable > env
hostname > host
diagram chart graph
backup snapshot
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
reviewer > review
approval > review
language > languages
duplicate related relation > link
subtask > task child
block > content
k8s > kubernetes
namespace ns
regex > pattern
activity audit > event history
policy rule
attendee participant > member
profile > user account
avatar > image
search > query
amount balance
date day
random > pick
flight train > ticket
word docx > document
text > content
math arithmetic expression > calculate
";

/// What a word may stand for.
type Meanings = Vec<(&'static str, bool)>;

/// The words that stand for the folded `word`, each with whether it is a verb.
pub(super) fn of(word: &str) -> &'static [(&'static str, bool)] {
    static TABLE: OnceLock<HashMap<String, Meanings>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table = HashMap::new();
        read(VERBS, true, &mut table);
        read(NOUNS, false, &mut table);
        table
    });
    table.get(word).map_or(&[], Vec::as_slice)
}

fn read(lines: &'static str, verb: bool, table: &mut HashMap<String, Meanings>) {
    for line in lines.lines() {
        let (same, wider) = line.split_once('>').unwrap_or((line, ""));
        for word in same.split_whitespace() {
            let meanings = table.entry(fold(word).into_owned()).or_default();
            let directed = line.contains('>');
            let others = if directed { wider } else { same };
            for other in others.split_whitespace().filter(|o| *o != word) {
                if !meanings.iter().any(|(known, _)| *known == other) {
                    meanings.push((other, verb));
                }
            }
        }
    }
}
