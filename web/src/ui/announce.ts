interface LiveRegionElement extends HTMLElement {
  announce(message: string, options?: { readonly politeness?: 'polite' | 'assertive' }): void;
}

/** Announces a visible change to users of a screen reader. */
export function announce(message: string, politeness: 'polite' | 'assertive' = 'polite'): void {
  let region = document.querySelector<LiveRegionElement>('live-region');
  if (region === null) {
    region = document.createElement('live-region') as LiveRegionElement;
    document.body.append(region);
  }
  region.announce(message, { politeness });
}
