// Everything the page says, in Turkish and in English, and the names of tags spelt out.

export const WORDS = {
  tr: {
    skip: "Sonuçlara geç", tagline: "Türkçe metin çözümleme", text: "Metin", hint: "Ctrl + Enter çözümler.",
    examples: "Örnekler:", tasks: "Neler bulunsun?", style: "Ağaç bankası biçemi", entity_style: "Varlık kümesi biçemi", styleNone: "sunucununki",
    token: "Erişim belirteci (bearer token)", analyze: "Çözümle", cancel: "Vazgeç", results: "Sonuç",
    copyJson: "JSON kopyala", copyConllu: "CoNLL-U kopyala", copyLink: "Bağlantıyı kopyala",
    copied: "Kopyalandı.", notCopied: "Tarayıcı kopyalamaya izin vermedi.",
    working: "Çözümleniyor …", cancelled: "Vazgeçildi.", sentence: "Cümle", tree: "Bağımlılık ağacı; kökü",
    treeRest: "Bütün bağlar aşağıdaki tabloda.", table: "Sözcükler", wholeText: "Metnin bütünü:",
    counts: (sentences, tokens, ms) => `${sentences} cümle, ${tokens} sözcük, ${ms} ms`,
    more: (count) => `… ${count} cümle daha var; hepsi JSON ve CoNLL-U kopyasında.`,
    positive: "olumlu", negative: "olumsuz", neutral: "nötr", unclear: "belirsiz", sentimentOf: "Ne kadar olumlu",
    root: "kök", noFeatures: "Özellik yok", derivation: "türetme",
    task: { morphology: "Kök ve ekler", pos: "Sözcük türü", ner: "Varlık adları", dep: "Bağımlılık ağacı", sentiment: "Duygu" },
    column: { number: "Sıra", text: "Sözcük", lemma: "Kök", pos: "Tür", feats: "Özellikler", morph: "Çözümleme", ner: "Varlık", head: "Bağlandığı söz", relation: "Bağ" },
    error: {
      empty: () => "Önce bir metin yazın ya da bir örnek seçin.",
      nothing: () => "Bulunacak en az bir şey seçin.",
      offline: () => "Sunucuya ulaşılamıyor. Çalıştığından emin olup yeniden deneyin.",
      unauthorized: () => "Bu sunucu bir erişim belirteci istiyor. Yukarıdaki alana yazıp yeniden deneyin.",
      body_too_large: (l) => `Metin çok büyük; bu sunucu en çok ${n("tr", l.max_body)} bayt alıyor.`,
      too_many_tokens: (l) => `Metin çok uzun; bu sunucu bir seferde en çok ${n("tr", l.max_tokens)} sözcük çözümlüyor.`,
      word_too_long: (l) => `Bir sözcük ${n("tr", l.max_word)} harften uzun; araya boşluk koyun.`,
      bad_json: () => "Metinde karakter olmayan bir şey var (yarım kalmış bir emoji olabilir); silip yeniden deneyin.",
      queue_full: (l, s) => `Sunucu şu an dolu. ${s} saniye sonra yeniden deneyin.`,
      loading: (l, s) => `Modeller daha yükleniyor. ${s} saniye sonra yeniden deneyin.`,
      closing: () => "Sunucu kapanıyor.",
      too_slow: (l) => `Yanıt ${n("tr", l.time_limit)} saniyede hazır olmadı. Daha kısa bir metinle ya da sonra yeniden deneyin.`,
      unknown: (l, s, status) => `Sunucu isteği geri çevirdi (${status}).`,
    },
  },
  en: {
    skip: "Skip to the results", tagline: "Turkish text analysis", text: "Text (Turkish)", hint: "Ctrl + Enter analyses.",
    examples: "Examples:", tasks: "What to find?", style: "Treebank style", entity_style: "Entity set style", styleNone: "the server's",
    token: "Bearer token", analyze: "Analyse", cancel: "Cancel", results: "Result",
    copyJson: "Copy JSON", copyConllu: "Copy CoNLL-U", copyLink: "Copy link",
    copied: "Copied.", notCopied: "The browser did not allow copying.",
    working: "Analysing …", cancelled: "Cancelled.", sentence: "Sentence", tree: "Dependency tree; its root is",
    treeRest: "All arcs are in the table below.", table: "Words", wholeText: "The whole text:",
    counts: (sentences, tokens, ms) => `${sentences} ${sentences === 1 ? "sentence" : "sentences"}, ${tokens} ${tokens === 1 ? "token" : "tokens"}, ${ms} ms`,
    more: (count) => `… ${count} more sentences; the copied JSON and CoNLL-U have all.`,
    positive: "positive", negative: "negative", neutral: "neutral", unclear: "unclear", sentimentOf: "How positive",
    root: "root", noFeatures: "No features", derivation: "derivation",
    task: { morphology: "Lemma and morphology", pos: "Part of speech", ner: "Entities", dep: "Dependency tree", sentiment: "Sentiment" },
    column: { number: "No.", text: "Token", lemma: "Lemma", pos: "PoS", feats: "Features", morph: "Analysis", ner: "Entity", head: "Head", relation: "Relation" },
    error: {
      empty: () => "Write a text or choose an example first.",
      nothing: () => "Choose at least one thing to find.",
      offline: () => "The server cannot be reached. See that it is running and try again.",
      unauthorized: () => "This server wants a bearer token. Write it into the field above and try again.",
      body_too_large: (l) => `The text is too large; this server takes ${n("en", l.max_body)} bytes.`,
      too_many_tokens: (l) => `The text is too long; this server analyses ${n("en", l.max_tokens)} tokens at a time.`,
      word_too_long: (l) => `A word is longer than ${n("en", l.max_word)} letters; put spaces into it.`,
      bad_json: () => "The text holds something that is no character (half of an emoji, perhaps); delete it and try again.",
      queue_full: (l, s) => `The server is busy. Try again in ${s} s.`,
      loading: (l, s) => `The models are still loading. Try again in ${s} s.`,
      closing: () => "The server is shutting down.",
      too_slow: (l) => `The answer was not ready within ${n("en", l.time_limit)} s. Try a shorter text, or later.`,
      unknown: (l, s, status, message) => message || `The server refused the request (${status}).`,
    },
  },
};

function n(language, number) {
  return number === undefined ? "?" : new Intl.NumberFormat(language).format(number);
}

export const EXAMPLES = [
  ["Mustafa Kemal 19 Mayıs 1919'da Samsun'a çıktı.", "Samsun'a çıktı"],
  ["Orhan Pamuk'un romanları İstanbul'da geçer. Yazar 2006 yılında Nobel Edebiyat Ödülü'nü kazandı.", "Orhan Pamuk"],
  ["Otelin konumu harikaydı, çalışanlar çok ilgiliydi. Ama yemekler soğuktu.", "Otel yorumu"],
  ["Ankara'daki arkadaşlarımızla buluşacağımız için erkenden yola çıktık.", "Uzun ekler"],
  ["Türk Dil Kurumu bugün Ankara'da toplandı.", "Kurum ve yer"],
];

// name: [Turkish, English]
export const ENTITIES = {
  PER: ["kişi", "person"], LOC: ["yer", "place"], ORG: ["kurum", "organisation"], MISC: ["diğer", "other"],
};

export const POS = {
  ADJ: ["sıfat", "adjective"], ADP: ["ilgeç (edat)", "adposition"], ADV: ["belirteç (zarf)", "adverb"],
  AUX: ["yardımcı eylem", "auxiliary"], CCONJ: ["sıralama bağlacı", "coordinating conjunction"],
  DET: ["belirleyici", "determiner"], INTJ: ["ünlem", "interjection"], NOUN: ["ad (isim)", "noun"],
  NUM: ["sayı", "numeral"], PART: ["parçacık", "particle"], PRON: ["adıl (zamir)", "pronoun"],
  PROPN: ["özel ad", "proper noun"], PUNCT: ["noktalama", "punctuation"], SCONJ: ["yan cümle bağlacı", "subordinating conjunction"],
  SYM: ["simge", "symbol"], VERB: ["eylem (fiil)", "verb"], X: ["başka", "other"],
};

export const RELATIONS = {
  acl: ["ad tümleyen yan cümle", "clausal modifier of a noun"], advcl: ["belirteç yan cümlesi", "adverbial clause"],
  advmod: ["belirteç tümleci", "adverbial modifier"], amod: ["sıfat tamlayanı", "adjectival modifier"],
  appos: ["açıklama (koşma)", "apposition"], aux: ["yardımcı", "auxiliary"], case: ["ilgeç", "case marker"],
  cc: ["bağlaç", "coordinating conjunction"], ccomp: ["tümce tümleci", "clausal complement"], clf: ["sınıflandırıcı", "classifier"],
  compound: ["birleşik", "compound"], conj: ["sıralı öge", "conjunct"], cop: ["koşaç (ek eylem)", "copula"],
  csubj: ["özne yan cümlesi", "clausal subject"], dep: ["belirsiz bağ", "unspecified"], det: ["belirleyici", "determiner"],
  discourse: ["söylem ögesi", "discourse element"], dislocated: ["yerinden oynamış öge", "dislocated element"],
  expl: ["boş öge", "expletive"], fixed: ["kalıp söz", "fixed expression"], flat: ["düz birleşik (ad)", "flat name"],
  goeswith: ["ayrı yazılmış", "goes with"], iobj: ["dolaylı nesne", "indirect object"], list: ["liste", "list"],
  mark: ["yan cümle belirteci", "marker"], nmod: ["ad tamlayanı", "nominal modifier"], nsubj: ["özne", "subject"],
  nummod: ["sayı tamlayanı", "numeric modifier"], obj: ["nesne", "object"], obl: ["dolaylı tümleç", "oblique"],
  orphan: ["yetim öge", "orphan"], parataxis: ["yan yana cümle", "parataxis"], punct: ["noktalama", "punctuation"],
  reparandum: ["düzeltilen öge", "overridden disfluency"], root: ["kök (yüklem)", "root"], vocative: ["seslenme", "vocative"],
  xcomp: ["açık tümleç", "open clausal complement"],
};

const PERSON = { 1: ["1. kişi", "first"], 2: ["2. kişi", "second"], 3: ["3. kişi", "third"] };
const NUMBER = { Sing: ["tekil", "singular"], Plur: ["çoğul", "plural"] };

export const FEATURES = {
  Abbr: [["Kısaltma", "Abbreviation"], { Yes: ["evet", "yes"] }],
  Aspect: [["Görünüş", "Aspect"], { Hab: ["alışkanlık", "habitual"], Imp: ["bitmemiş", "imperfect"], Perf: ["bitmiş", "perfect"], Prog: ["sürüyor", "progressive"], Prosp: ["olacak", "prospective"], Dur: ["süregelen", "durative"], Rapid: ["tezlik", "rapid"] }],
  Case: [["Durum", "Case"], { Nom: ["yalın", "nominative"], Acc: ["belirtme (-i)", "accusative (-i)"], Dat: ["yönelme (-e)", "dative (-e)"], Loc: ["bulunma (-de)", "locative (-de)"], Abl: ["ayrılma (-den)", "ablative (-den)"], Gen: ["tamlayan (-in)", "genitive (-in)"], Ins: ["vasıta (-le)", "instrumental (-le)"], Equ: ["eşitlik (-ce)", "equative (-ce)"] }],
  Degree: [["Derece", "Degree"], { Cmp: ["üstünlük", "comparative"], Sup: ["en üstünlük", "superlative"], Pos: ["yalın", "positive"] }],
  Echo: [["Yineleme", "Echo"], { Rdp: ["ikileme", "reduplication"] }],
  Evident: [["Tanıklık", "Evidentiality"], { Fh: ["görülen", "first hand"], Nfh: ["duyulan", "not first hand"] }],
  Foreign: [["Yabancı", "Foreign"], { Yes: ["evet", "yes"] }],
  Mood: [["Kip", "Mood"], { Ind: ["bildirme", "indicative"], Imp: ["emir", "imperative"], Cnd: ["koşul", "conditional"], Opt: ["istek", "optative"], Des: ["dilek", "desiderative"], Nec: ["gereklilik", "necessitative"], Pot: ["yeterlik", "potential"], Gen: ["genelleme", "generalising"], GenPot: ["genelleme ve yeterlik", "generalising, potential"], GenNec: ["genelleme ve gereklilik", "generalising, necessitative"], CndGen: ["koşul ve genelleme", "conditional, generalising"], NecPot: ["gereklilik ve yeterlik", "necessitative, potential"], ImpPot: ["emir ve yeterlik", "imperative, potential"], DesPot: ["dilek ve yeterlik", "desiderative, potential"], CndPot: ["koşul ve yeterlik", "conditional, potential"] }],
  NumType: [["Sayı türü", "Numeral type"], { Card: ["asıl", "cardinal"], Ord: ["sıra", "ordinal"], Dist: ["üleştirme", "distributive"], Frac: ["kesir", "fraction"] }],
  Number: [["Sayı", "Number"], NUMBER],
  "Number[psor]": [["İyelik sayısı", "Possessor's number"], NUMBER],
  Person: [["Kişi", "Person"], PERSON],
  "Person[psor]": [["İyelik kişisi", "Possessor's person"], PERSON],
  Polarity: [["Olumluluk", "Polarity"], { Pos: ["olumlu", "affirmative"], Neg: ["olumsuz", "negative"] }],
  Polite: [["Nezaket", "Politeness"], { Form: ["resmî", "formal"], Infm: ["teklifsiz", "informal"] }],
  PronType: [["Adıl türü", "Pronoun type"], { Prs: ["kişi", "personal"], Dem: ["gösterme", "demonstrative"], Int: ["soru", "interrogative"], Ind: ["belgisiz", "indefinite"], Loc: ["yer", "locative"], Rfl: ["dönüşlü", "reflexive"], Rcp: ["işteş", "reciprocal"], Quant: ["nicelik", "quantifying"], Art: ["tanımlık", "article"], Neg: ["olumsuz", "negative"], Tot: ["bütünleme", "total"], Rel: ["ilgi", "relative"] }],
  Reflex: [["Dönüşlü", "Reflexive"], { Yes: ["evet", "yes"] }],
  Tense: [["Zaman", "Tense"], { Past: ["geçmiş", "past"], Pres: ["şimdiki / geniş", "present"], Fut: ["gelecek", "future"], Pqp: ["geçmişin geçmişi", "pluperfect"], Aor: ["geniş", "aorist"] }],
  Typo: [["Yazım yanlışı", "Typo"], { Yes: ["evet", "yes"] }],
  VerbForm: [["Eylemsi", "Verb form"], { Fin: ["çekimli", "finite"], Part: ["ortaç (sıfat-fiil)", "participle"], Conv: ["ulaç (zarf-fiil)", "converb"], Vnoun: ["ad-eylem (isim-fiil)", "verbal noun"], Inf: ["mastar", "infinitive"], Ger: ["ad-eylem", "gerund"] }],
  Voice: [["Çatı", "Voice"], { Act: ["etken", "active"], Pass: ["edilgen", "passive"], Cau: ["ettirgen", "causative"], Rcp: ["işteş", "reciprocal"], Rfl: ["dönüşlü", "reflexive"], CauPass: ["ettirgen ve edilgen", "causative, passive"], PassRfl: ["edilgen ve dönüşlü", "passive, reflexive"] }],
};

// The tags of a morphological analysis (`git+Verb+Pos+Prog1+A3sg`).
export const MORPH = {
  Noun: ["ad", "noun"], Verb: ["eylem", "verb"], Adj: ["sıfat", "adjective"], Adverb: ["belirteç", "adverb"], Adv: ["belirteç", "adverb"],
  Pron: ["adıl", "pronoun"], Num: ["sayı", "number"], Det: ["belirleyici", "determiner"], Conj: ["bağlaç", "conjunction"],
  Postp: ["ilgeç", "postposition"], Interj: ["ünlem", "interjection"], Punc: ["noktalama", "punctuation"], Ques: ["soru", "question"],
  Dup: ["ikileme", "duplicator"], Prop: ["özel ad", "proper noun"], Unknown: ["bilinmiyor", "unknown"], Date: ["tarih", "date"], Time: ["saat", "time"],
  A1sg: ["1. tekil kişi", "first person singular"], A2sg: ["2. tekil kişi", "second person singular"], A3sg: ["3. tekil kişi", "third person singular"],
  A1pl: ["1. çoğul kişi", "first person plural"], A2pl: ["2. çoğul kişi", "second person plural"], A3pl: ["3. çoğul kişi", "third person plural"],
  P1sg: ["iyelik: benim", "possessed: my"], P2sg: ["iyelik: senin", "possessed: your"], P3sg: ["iyelik: onun", "possessed: his, her, its"],
  P1pl: ["iyelik: bizim", "possessed: our"], P2pl: ["iyelik: sizin", "possessed: your (plural)"], P3pl: ["iyelik: onların", "possessed: their"], Pnon: ["iyelik yok", "not possessed"],
  Nom: ["yalın", "nominative"], Acc: ["belirtme (-i)", "accusative (-i)"], Dat: ["yönelme (-e)", "dative (-e)"], Loc: ["bulunma (-de)", "locative (-de)"],
  Abl: ["ayrılma (-den)", "ablative (-den)"], Gen: ["tamlayan (-in)", "genitive (-in)"], Ins: ["vasıta (-le)", "instrumental (-le)"], Equ: ["eşitlik (-ce)", "equative (-ce)"],
  Pos: ["olumlu", "affirmative"], Neg: ["olumsuz", "negative"], Past: ["görülen geçmiş (-di)", "past (-di)"], Narr: ["duyulan geçmiş (-miş)", "narrative past (-miş)"],
  Fut: ["gelecek (-ecek)", "future (-ecek)"], Prog1: ["şimdiki (-iyor)", "progressive (-iyor)"], Prog2: ["şimdiki (-mekte)", "progressive (-mekte)"],
  Aor: ["geniş (-ir)", "aorist (-ir)"], Pres: ["şimdiki", "present"], Cond: ["koşul (-se)", "conditional (-se)"], Neces: ["gereklilik (-meli)", "necessity (-meli)"],
  Opt: ["istek (-e)", "optative (-e)"], Imp: ["emir", "imperative"], Desr: ["dilek (-se)", "desire (-se)"], Able: ["yeterlik (-ebil)", "ability (-ebil)"], Cop: ["ek eylem (-dir)", "copula (-dir)"],
  Caus: ["ettirgen", "causative"], Pass: ["edilgen", "passive"], Recip: ["işteş", "reciprocal"], Reflex: ["dönüşlü", "reflexive"],
  Inf1: ["mastar (-mek)", "infinitive (-mek)"], Inf2: ["ad-eylem (-me)", "verbal noun (-me)"], Inf3: ["ad-eylem (-iş)", "verbal noun (-iş)"],
  PastPart: ["ortaç (-dik)", "past participle (-dik)"], FutPart: ["ortaç (-ecek)", "future participle (-ecek)"], PresPart: ["ortaç (-en)", "present participle (-en)"],
  NarrPart: ["ortaç (-miş)", "narrative participle (-miş)"], AorPart: ["ortaç (-ir)", "aorist participle (-ir)"],
  ByDoingSo: ["ulaç (-erek)", "by doing so (-erek)"], AfterDoingSo: ["ulaç (-ip)", "after doing so (-ip)"], While: ["ulaç (-ken)", "while (-ken)"], When: ["ulaç (-ince)", "when (-ince)"],
  WithoutHavingDoneSo: ["ulaç (-meden)", "without having done so (-meden)"], SinceDoingSo: ["ulaç (-eli)", "since doing so (-eli)"], AsLongAs: ["ulaç (-dikçe)", "as long as (-dikçe)"],
  With: ["-li", "with (-li)"], Without: ["-siz", "without (-siz)"], Ness: ["-lik", "-ness (-lik)"], Agt: ["-ci", "agent (-ci)"], Ly: ["-ce", "-ly (-ce)"],
  Rel: ["-ki", "relative (-ki)"], Become: ["-leş", "become (-leş)"], Acquire: ["-len", "acquire (-len)"], JustLike: ["gibi (-imsi)", "just like (-imsi)"], Dim: ["küçültme (-cik)", "diminutive (-cik)"], FitFor: ["-lik", "fit for (-lik)"],
  Zero: ["eksiz türetme", "derived without a suffix"], Card: ["asıl sayı", "cardinal"], Ord: ["sıra sayısı", "ordinal"], Dist: ["üleştirme sayısı", "distributive"],
  Demons: ["gösterme", "demonstrative"], Pers: ["kişi", "personal"], Quant: ["nicelik", "quantifying"],
};
