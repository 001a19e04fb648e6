"""Sentences and columns that ``training_text`` fills, ordinary words, and Latin letters for those of other
alphabets."""

CHECKS = (
    "Hey, it's {f} again.", "Did {f} send the file yet?", "{t} {l} has left the company.", "ask {n} about {x}",
    "{n} joined {o} as {j} in {y}.", "The meeting with {n} and {f} is on {w} in {c}.", "cc: {n}, {n}", "Signed: {n}",
    "{x} {x} {x} by {l} et al.", "I told {f} that {x} {x} {x}.", "Manager of {o}: {n}", "Ms {l}'s card was blocked.",
    "{n} ({b}) from {c} won.", "Our colleague {f} {x} {x} {x}", "regards, {f} {l}, {j}", "{s} {f} agreed.",
    "{o} and {o} merged in {y}", "{c} is the capital of {g}.", "{X} {X} by {o}", "In {v} the {q} team {x} {x}",
    "The {X} of {c} opens on {w}.", "{s}", "{s}", "{s} {s}", "Flight {k} from {c} to {c}", "{X} {x}: {k}",
    "{n} moved to {a} in {y}.", "parcel for {n}, {a}", "My flat is at {r}.", "{o} has its seat at {a}.", "at {a}: {x}",
    "{w}: {n}", "{n} said {x} {x}, and {l} {x}", "Is this {f}? Yes, {n} speaking.", "{L}", "{L}", "{A}", "{L}",
    "to {n}\n{a}\n{g}", "Customer {n} lives in {c}, {r}.", "{f} and I {x} {x}", "{n} 's {x} {x}", "{X} Inc. hired {n}",
)  # fmt: skip
"""Sentences of the texts that only check the training."""
SENTENCES = (
    "My name is {n}", "I'm {f}", "This is {n} speaking", "{n} called about the invoice", "Call {n} back, please",
    "please ask for {t} {l}", "{f} will call you on {w}", "Hello {f},", "Hi {f}! {s}", "Dear {t} {l},\n{s}",
    "Best regards,\n{n}", "Thanks,\n{f}", "Thank you, {f}.", "Kind regards\n{n}\n{o}", "Sincerely yours, {n}",
    "{n} is the new head of {x} at {o}.", "{n} of {o} signed the contract", "{o} hired {n} as {j}.",
    "According to {n}, {x} {x} {x}.", "{l} said that {x} {x} {x} {x}.", "{n}, {d}, from {c}, {x} {x}.",
    "We spoke to {f} and {f} yesterday.", "{f}, {f} and {l} are invited.", "{t} {l} paid in {c}.", "{s} {n} {s}",
    "Agent: May I have your name? Customer: {n}", "agent: who is calling? caller: {f}",
    "User: {f} {l}. Bot: Thank you!",
    "{f}: {s}\n{f}: {s}", "{n}: {s}", "Account holder: {n}", "Patient: {n}, born {d}", "Name: {n}\nCity: {c}",
    "Beneficiary {n}", "From: {n}\nTo: {n}\nSubject: {s}", "written by {n}", "Directed by {n}", "Author: {n} ({y})",
    "The {l} family moved to {c}.", "{l}'s new book, {x} {x}, is out", "{n}'s account is closed", "{f}'s card",
    "who is {n}?", "do you know {n}", "is {f} there?", "I need to speak with {n}", "the order is for {n}",
    "What about {n}? {s}", "{t} {n} will see you at {h}.", "President {l} visited {c} in {y}.",
    "Coach {l} said {x} {x}",
    "singer {n} and actor {n} met in {c}", "{n} ({y}-{y}) was a {j}", "{n} was born in {c} in {y}.", "by {f} {l}",
    "Ticket {k} was opened by {n} at {h}", "change the name on my card to {n}", "transfer {m} to {n}",
    "{n} and {n} founded {o} in {y}", "{o}, founded by {n}, {x} {x}", "{s} It was {f} who {x} {x}.", "{n} - {j}",
    "I live at {a}", "She moved to {a} last year", "Send it to {a}, please", "deliver to {a}", "Our office: {a}",
    "The address of {o} is {a}.", "{n} lives at {a}", "{n}\n{a}", "Ship to:\n{n}\n{a}\n{c}", "address: {a}",
    "Please update my address to {a}", "My new address is {a}.", "Where is {a}?", "meet me at {r}", "{o}\n{a}\n{c}",
    "the shop at {r} is closed", "I was at {r} in {c} at {h}", "{t} {n}, {a}", "We are on {r}, {c}", "{o}, {a}, {g}",
    "Home: {a}. Work: {a}.", "Invoice address: {a} VAT {k}", "visit us at {r}, {c} {z}", "go from {r} to {r}",
    "{o} is in {c}.", "I fly to {c} on {w}", "{c} is nice in {v}", "What is the limit of my card {k}?", "{s}",
    "{s} {s}",
    "{s}", "The {o} report of {y}", "In {v} {y}, {x} {x} {x}.", "my number is {k}", "{o} was bought by {o}",
    "Call me at {k}", "Visit {u}", "my mail is {e}", "The {x} of {g} {x} {x}.", "{X} {X} is {x}", "{x} {k} {x} {h}",
    "The {X} Band played in {c}, {g}, on {d}.", "He is {q}.", "a {q} {x}", "the {q} {X} Company", "{X} & {X}: {s}",
    "I'm a {j} from {g}", "IBAN {i}", "The {j} {x} {x}", "A {b}-year-old {q} {x} {x}", "{g} - {c}", "{z} {c}",
    "{w}, {d}",
    "{X} {X} and the {X} of {X}", "\"{X} {X}\" is a song", "{c} University", "the {c} {X} Club", "{o} Inc. in {c}",
    "Phone: {p}", "Fax {p}, mobile {p}", "{o}\nPhone: {p}\nFax: {p}", "{n}\n{a}\nMobile: {p}", "reach me at {p}",
    "{p}",
    "{o} tel. {p}", "Give {p} a ring", "They do not answer at {p}", "IP {k}.{b}.{b}.{b}", "on {d} at {h}",
    "#{b}: {X} {x}",
    "{n} and {f} live at {a}", "{f} {l}\n{j}\n{o}\n{p}", "\"{X} {x} {x}\", sang {n}", "{X} {X} ({y}), by {n}", "{L}",
    "{L}", "{L} {s}", "{L}", "{A}", "The {X} {X} {X} of {c}", "{X}, {X} and {X}", "{O} is {x}",
    "{f} asked whether {x} {x} {x}.", "{n} has not paid since {d}", "{n} is on leave until {w}.", "{n} wrote: {s}",
    "I met {f} in {c} last {v}", "{f}, could you {x} the {x}?", "Good morning {f}, {s}", "Please tell {f} to {x}.",
    "{f} here, {s}", "the caller, {n}, {x} {x}", "{t} {n} disputes the charge of {m}", "{n} wants to {x} {x}",
    "{n} and {t} {l} {x} the {x}", "with {f} at {o}", "Thanks to {f} and {f}, {x} {x}", "{f} from {o} called",
    "{x} {x} with {f} {x}", "{o} said {n} would {x}", "{n}, who {x} {x}, {x} in {c}", "the {x} of {n} {x} {x}",
    "{n}'s {x}", "{l}: {x} {x} {x}?", "My name's {f} and I {x}", "I am {n}, {s}", "{f} {l} here. {s}",
    "the late {n}", "actress {n} {x}", "{g}'s {n} won in {c}", "{q} singer {n}", "{n} of {c}", "{n}, {j} at {o}, {x}",
    "{j} {n} {x} {x}", "CEO {n} of {o}", "Interviewer: {s} {f}: {s}", "{l} & {l} LLP", "{l} Brothers",
    "{l} and Sons Ltd",
    "St. {f} Hospital", "{l} Street", "the {l} Foundation {x}", "{o} {x} {X} in {y}", "{c} {X} Bank", "{g} and {g} {x}",
    "How do I {x} my {x}?", "I want to {x} the {X} card", "{X} is down since {h}", "{X} {x} {x} {X} {x} {m}",
    "{q} and {q}",
    "the {c} branch", "from {c} to {c} via {c}", "{c}, {g}", "I lost my {X} card in {c}", "{w} in {c}: {x}",
    "my address changed from {a} to {a}", "I used to live at {r}", "{a}", "{r}", "{n}, {a}, {p}", "{n}\n{o}\n{a}\n{p}",
    "{o}\n{n}\n{j}\n{a}", "branch at {r} in {c}", "near {r}", "the corner of {r} and {r}", "pick up at {r} at {h}",
    "{a} is not my address", "Could you send the card to {a}?", "{r} is closed on {w}", "bill to {n}, {a}", "{a} {p}",
    "Name: {n}\nPhone: {p}\n{e}", "{n}\n\n{j}\n\n{e}\n{u}", "{k} {n} {d}", "{n} | {j} | {o}", "{d} {h} {n}: {s}",
    "{L} {L}", "{A} {s}", "{O}", "{o} of {c}, {g}", "{X} {l} {X}", "The {l} {X} of {c}", "The {f} {l} {X}",
    "{H}", "{H}, {s}", "{H} {x} {x} {x}.", "{T}", "{T}", "{T}", "{T} {T}", "{T} {n} {T}", "{H} {n}!",
    "{H}, this is {n}.",
    "{H} {f}, {T}", "{T} {f} {T}", "{H}: {n}", "{H} {H}: {k}", "{H} {H} {H}", "\"{K}\" by {n}", "{K} is a {x} by {o}",
    "{K} ({y})", "the film {K} {x}", "We saw {K} in {c}.", "{n} wrote {K} in {y}.", "{H} {o} {x}?", "{H} {c}, {T}",
    "{T} {o} {T}", "{T} {c} {T}", "{T} {g} {T}", "{T} {q} {T}", "{H} {q} {x} {x}", "{T} {k}", "{T} on {d}", "{T} {m}.",
    "{T} {w}.", "{T} {a}.", "{T} {r}, {T}", "{H} {J} {x}", "{J} {n} {T}", "{J} of {o}: {n}", "{J}", "{n}, {J}",
    "{H} {H}: {n}\n{H} {H}: {p}\n{H}: {e}", "{H}\n{n}\n{H}\n{a}", "{T}\n\n{n}", "{H} {t} {l}, {T}",
    "{T} {n}.", "{T} {n}?", "{T} {f}.", "{T}, {f}?", "{T} {l}'s {x}", "{n} {T}", "{f} {T}", "{t} {l} {T}",
    "{H} {f} {T}",
)  # fmt: skip
COMMON = tuple(
    """
    hey hi hello yes no well so also please thanks sorry okay sure maybe perhaps today tomorrow yesterday can could
    would
    will should shall must may might do does did is are was were be been being have has had what which who whose when
    where why how the a an this that these those there here it he she we you they my your his her our their its in on at
    by for from with without about after before since until during against between among and but or if because although
    while as than then not never always often just only still already yet again once twice soon later early late now
    good bad new old big small long short high low first last next great little own other same different many much few
    more most some any all both each every either neither one two three four five six seven eight nine ten hundred
    thousand million account bank card credit debit payment transfer money loan interest rate balance statement branch
    customer client service support manager director agent teller number name address phone email letter contract
    invoice order delivery package shipment store shop price discount offer sale refund charge fee limit fraud password
    login online application form document report message call meeting office team project company business market
    stock share fund investment insurance policy claim tax salary job work worker employee boss staff student teacher
    doctor nurse patient hospital school university class course book song album band movie film show game player coach
    club league match season championship award prize city town village country state region world road street house
    home apartment room floor door window kitchen garden car train plane flight airport station bus taxi hotel
    restaurant bar cafe food dinner lunch breakfast coffee tea water wine beer bread cheese meat fish fruit apple orange
    weather rain snow sun wind summer winter spring autumn morning afternoon evening night day week month year time hour
    minute moment man woman boy girl child children baby mother father brother sister son daughter uncle aunt cousin
    wife husband friend neighbour people person family group government president minister king queen prince general
    army war peace law court judge lawyer police officer party election vote member leader history science art music
    painting museum theatre language word story news paper magazine radio television computer software internet website
    screen keyboard file folder system server network data table column row value key index test error warning version
    update release feature change problem question answer idea reason result example case part point line side end start
    beginning middle top bottom left right north south east west center place area field park river lake sea ocean
    mountain island forest tree flower animal dog cat horse bird color red blue green black white yellow brown grey gold
    silver iron stone wood glass plastic body head face eye ear nose mouth hand arm leg foot heart blood mind soul life
    death love hate hope fear dream truth lie fun joy trip travel holiday vacation birthday wedding christmas easter
    come go get give take make see look find know think feel say tell ask speak talk hear listen read write learn teach
    help need want like live die eat drink sleep wake sit stand walk run drive fly swim play win lose buy sell pay cost
    send receive bring carry hold keep leave stay wait stop begin finish open close turn move put set cut break build
    grow fall rise show hide try use call meet follow lead join visit remember forget believe understand agree accept
    refuse reject cancel confirm check verify register activate block unlock change update lost stolen missing wrong
    great royal national international central united public private local global young free fast slow hard easy hot
    cold warm cool dark bright clean dirty empty full heavy light strong weak rich poor cheap expensive happy sad angry
    tired hungry ready busy alone dear best kind sincere regards mister madam
    """.split()  # noqa: SIM905 - a list literal of 700 words reads worse
)
"""English words that are no names, however they are written."""
NAME_COLUMNS = (
    "name",
    "full_name",
    "first_name",
    "last_name",
    "customer",
    "customer_name",
    "passenger",
    "contact",
    "owner",
)
ADDRESS_COLUMNS = (
    "address",
    "street",
    "addr1",
    "home_address",
    "billing_address",
    "street_address",
    "location",
    "residence",
)
OTHER_COLUMNS = (
    ("city", "{c}"), ("country", "{g}"), ("company", "{o}"), ("carrier", "{o}"), ("name", "{o}"), ("product",
    "{X} {x}"),
    ("product_name", "{X} {X} {b}"), ("name", "{X} {X}"), ("name", "{c} Airport"), ("airport", "{c} {X} Intl"),
    ("name", "{c}"),
    ("status", "{X}"), ("type", "{x} {x}"), ("description", "{s}"), ("title", "{X} {X} {x}"), ("code", "{k}"),
    ("job", "{j}"),
    ("manufacturer", "{o}"), ("model", "{X}-{b}"), ("date", "{d}"), ("category", "{X} & {X}"), ("note", "{s}"),
    ("region", "{g}"),
    ("comment", "{x} {x} {x}"), ("url", "{u}"), ("email", "{e}"), ("id", "{k}"), ("amount", "{m}"), ("zip", "{z}"),
    ("team", "{c} {X}"),
    ("engine", "{X}-{x}"), ("tzone", "{X}/{c}"), ("brand", "{X}"), ("department", "{X} {x}"), ("uuid", "{U}"),
    ("phone", "{p}"), ("tel", "{p}"), ("agent", "{B}"), ("ip", "{I}"), ("path", "/{x}/{x}/{k}"), ("flag", "{X}"),
)  # fmt: skip
_LATIN = """
а a б b в v г g д d е e ё yo ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ъ _
ы y ь _ э e ю yu я ya і i є ye ї yi ґ g ѓ gj ќ kj љ lj њ nj џ dz ј j ѕ dz
α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o ά a έ e ή i ί i
ό o
ύ y ώ o ϊ i ϋ y ΐ i ΰ y
"""
LATIN_OF = dict(zip(_LATIN.split()[::2], _LATIN.split()[1::2], strict=True))
