import { describe, expect, it } from 'vitest';
import { speedUpComputedStyle } from './computed-style';

const properties = [
  'display',
  'visibility',
  'pointer-events',
  'opacity',
  'position',
  'overflow',
  'clip',
  'clip-path',
  'content-visibility',
];

/** Returns the computed values of every element with and without the speedup, in a separate window. */
function answers(html: string): { plain: string[][]; quick: string[][] } {
  const frame = document.body.appendChild(document.createElement('iframe'));
  const { contentWindow, contentDocument } = frame;
  if (!contentWindow || !contentDocument) throw new Error('The frame has no document');
  contentDocument.body.innerHTML = html;
  const read = () =>
    [...contentDocument.querySelectorAll('body *')].map((element) => {
      const style = contentWindow.getComputedStyle(element);
      return properties.map((name) => `${element.localName} ${name}: ${style.getPropertyValue(name)}`);
    });
  const plain = read();
  speedUpComputedStyle(contentWindow as Window & typeof globalThis);
  const quick = read();
  frame.remove();
  return { plain, quick };
}

const tags = (
  'a abbr address article aside b blockquote button canvas caption code col colgroup datalist dd details dialog div dl ' +
  'dt em fieldset figure footer form h1 h2 header hr i img input kbd label legend li main mark menu nav ol ' +
  'optgroup option output p pre progress search section select small span strong summary svg table tbody ' +
  'td template textarea tfoot th thead time tr ul video'
).split(' ');

const variants = [
  {},
  { hidden: '' },
  { hidden: 'until-found' },
  { open: '' },
  { type: 'hidden' },
  { type: 'checkbox' },
];

describe('getComputedStyle of tests', () => {
  it.each(tags)('says of %s what jsdom says', (tag) => {
    const frame = document.implementation.createHTMLDocument();
    for (const attributes of variants) {
      const element = frame.body.appendChild(frame.createElement(tag));
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.appendChild(frame.createElement('span'));
    }
    const { plain, quick } = answers(frame.body.innerHTML);
    expect(quick).toEqual(plain);
  });

  it('hands inherited values down and lets children set their own', () => {
    const { plain, quick: values } = answers(
      '<div style="visibility: hidden; pointer-events: none"><p><b></b><i style="visibility: visible">' +
        '<u></u></i><a style="pointer-events: auto"></a><s style="visibility: inherit"></s></p></div>',
    );
    expect(values).toEqual(plain);
    expect(values[2]).toContain('b visibility: hidden');
    expect(values[4]).toContain('u visibility: visible');
    expect(values[5]).toContain('a pointer-events: auto');
  });

  it('obeys inline styles', () => {
    const { plain, quick: values } = answers('<p style="display: none; opacity: 0; position: absolute; overflow: hidden"></p>');
    expect(values).toEqual(plain);
    expect(values[0]).toContain('p display: none');
  });

  it('obeys style sheets of the document', () => {
    const { plain, quick: values } = answers(
      '<style>.gone, div > em { display: none } @media all { .through { pointer-events: none } }</style>' +
        '<p class="gone"></p><p class="through"><b></b></p><div><em></em></div><em></em>',
    );
    expect(values).toEqual(plain);
    expect(values[1]).toContain('p display: none');
    expect(values[3]).toContain('b pointer-events: none');
    expect(values[5]).toContain('em display: none');
    expect(values[6]).toContain('em display: inline');
  });

  it('follows every change', () => {
    const element = document.body.appendChild(document.createElement('p'));
    const style = getComputedStyle(element);
    expect(style.display).toBe('block');
    element.hidden = true;
    expect(style.display).toBe('none');
    element.hidden = false;
    element.style.visibility = 'hidden';
    expect(style.visibility).toBe('hidden');
    const sheet = document.head.appendChild(document.createElement('style'));
    sheet.textContent = 'p { display: flex }';
    expect(style.display).toBe('flex');
    sheet.remove();
    expect(style.display).toBe('block');
    element.remove();
  });
});
