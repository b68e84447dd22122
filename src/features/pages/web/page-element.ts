/** As much of an element as the pages use: the service is compiled without the types of a browser. */
export interface PageElement {
  disabled: boolean;
  textContent: string;
  append(...children: readonly (PageElement | string)[]): void;
  replaceChildren(...children: readonly (PageElement | string)[]): void;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  addEventListener(event: 'click', listener: () => void): void;
  focus(): void;
}

interface Browser {
  addEventListener(event: 'hashchange', listener: () => void): void;
  readonly document: {
    title: string;
    createElement(name: string): PageElement;
    getElementById(id: string): PageElement | null;
  };
  readonly location: { readonly hash: string; assign(address: string): void };
  readonly history: { replaceState(state: null, title: string, address: string): void };
  readonly sessionStorage: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
}

/** The window that the page is shown in. */
export const browser = globalThis as unknown as Browser;

type Child = PageElement | string | null;

/** A new element. Its children are elements or text, and never markup: what somebody typed stays what they typed. */
export function element(name: string, attributes: Readonly<Record<string, string>>, ...children: Child[]): PageElement {
  const made = browser.document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A button that cannot be pressed again while what it does goes on. */
export function button(label: Child, kind: string, press: () => Promise<void>): PageElement {
  const made = element('button', { type: 'button', class: kind }, label);
  made.addEventListener('click', () => {
    made.disabled = true;
    void press().finally(() => (made.disabled = false));
  });
  return made;
}

export const link = (label: string, address: string, kind = ''): PageElement =>
  element('a', { href: address, class: kind }, label);

export const paragraph = (text: string, kind = ''): PageElement => element('p', { class: kind }, text);

/** What went wrong, told to who cannot see it as well. */
export const failure = (text: string): PageElement => element('p', { class: 'failure', role: 'alert' }, text);

/** The picture of an account, beside its name and so without words of its own. */
export const avatar = (address: string): PageElement =>
  element('img', { class: 'avatar', src: address, alt: '', width: '32', height: '32', loading: 'lazy' });

/** The place of the page with this id. */
export function place(id: string): PageElement {
  const found = browser.document.getElementById(id);
  if (found === null) throw new Error(`The page has no place ${id}.`);
  return found;
}

/** Shows this instead of what was there, under this name of the page. */
export function show(title: string, ...content: readonly Child[]): void {
  browser.document.title = `${title} · Shipgate`;
  const view = place('view');
  view.replaceChildren(...content.filter((child) => child !== null));
  view.removeAttribute('aria-busy');
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** A moment of the interface as a day of the reader's. */
export const dayOf = (moment: string): string => DAY.format(new Date(moment));
