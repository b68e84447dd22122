interface Options {
  readonly politeness?: 'polite' | 'assertive';
  readonly delayMs?: number;
}

/**
 * Announces messages to screen readers. Replaces the element of the same name of `@primer/live-region-element`, which writes an inline
 * style that the content security policy forbids. It must be defined before Primer loads. `base.css` hides it.
 */
class LiveRegion extends HTMLElement {
  readonly #regions = new Map<string, HTMLElement>();

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    for (const politeness of ['polite', 'assertive'] as const) {
      const region = document.createElement('div');
      region.id = politeness;
      region.ariaLive = politeness;
      region.ariaAtomic = 'true';
      this.#regions.set(politeness, region);
      root.append(region);
    }
  }

  announce(message: string, { politeness = 'polite', delayMs = 0 }: Options = {}): { cancel(): void } {
    const timer = setTimeout(() => {
      const region = this.#regions.get(politeness);
      // A screen reader announces the same text again only if the content changes.
      if (region) region.textContent = region.textContent === message ? `${message}\u00a0` : message;
    }, delayMs);
    return { cancel: () => clearTimeout(timer) };
  }

  announceFromElement(element: HTMLElement, options?: Options): { cancel(): void } {
    return this.announce((element.ariaLabel ?? element.innerText).trim(), options);
  }

  getMessage(politeness: 'polite' | 'assertive' = 'polite'): string | null {
    return this.#regions.get(politeness)?.textContent ?? null;
  }

  clear(): void {}
}

customElements.define('live-region', LiveRegion);
