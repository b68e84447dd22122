/** The members of an element that the pages use. The service is compiled without the types of browsers. */
export interface PageElement {
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
    readonly visibilityState: 'visible' | 'hidden';
    addEventListener(event: 'visibilitychange', listener: () => void): void;
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

/** The window of the page. */
export const browser = globalThis as unknown as Browser;

type Child = PageElement | string | null;

/** Creates an element. Its children are elements or text, never markup, so that user input stays text. */
export function element(name: string, attributes: Readonly<Record<string, string>>, ...children: Child[]): PageElement {
  const created = browser.document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value);
  created.append(...children.filter((child) => child !== null));
  return created;
}

/** The heading of the view. */
export const heading = (text: string): PageElement => element('h1', { id: 'title', tabindex: '-1' }, text);

/** A button that ignores clicks while its action runs. */
export function button(label: Child, kind: string, press: () => Promise<void>): PageElement {
  const created = element('button', { type: 'button', class: kind }, label);
  created.addEventListener('click', () => {
    if (created.getAttribute('aria-disabled') !== null) return;
    // Not the attribute `disabled`: a disabled button loses the focus, which keyboard users need.
    created.setAttribute('aria-disabled', 'true');
    void press().finally(() => created.removeAttribute('aria-disabled'));
  });
  return created;
}

export const link = (label: string, address: string, kind = ''): PageElement =>
  element('a', { href: address, class: kind }, label);

export const paragraph = (text: string, kind = ''): PageElement => element('p', { class: kind }, text);

/** An error message, which screen readers announce. */
export const failure = (text: string): PageElement => element('p', { class: 'failure', role: 'alert' }, text);

/** The avatar of an account. It has no alternative text, because the name is next to it. */
export const avatar = (address: string): PageElement =>
  element('img', { class: 'avatar', src: address, alt: '', width: '32', height: '32', loading: 'lazy' });

/** Returns the element with this id. */
export function place(id: string): PageElement {
  const found = browser.document.getElementById(id);
  if (found === null) throw new Error(`The page has no place ${id}.`);
  return found;
}

/**
 * Replaces the view and the title of the page. Except for the first view, the heading gets the focus: the focused element may be
 * gone, and screen readers then read the new heading.
 */
export function show(title: string, ...content: readonly Child[]): void {
  browser.document.title = `${title} · Shipgate`;
  const view = place('view');
  const isFirst = view.getAttribute('aria-busy') !== null;
  view.replaceChildren(...content.filter((child) => child !== null));
  view.removeAttribute('aria-busy');
  if (!isFirst) place('title').focus();
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Formats a timestamp of the API as a day in the locale of the browser. */
export const dayOf = (moment: string): string => DAY.format(new Date(moment));
