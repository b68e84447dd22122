import { useLayoutEffect, useRef, type RefObject } from 'react';

const SLIDE_MS = 250;
const LESS_MOTION = matchMedia('(prefers-reduced-motion: reduce)');

/**
 * Lets the rows of a table slide to their new places, so that the eye can follow them. The returned reference belongs on the element around
 * the table. New rows appear at their place.
 */
export function useSlidingRows(): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  const places = useRef<ReadonlyMap<HTMLElement, number>>(new Map());
  useLayoutEffect(() => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('tbody > tr') ?? [])];
    const next = new Map(rows.map((row) => [row, row.offsetTop]));
    for (const [row, place] of next) {
      const distance = (places.current.get(row) ?? place) - place;
      if (distance === 0 || LESS_MOTION.matches) continue;
      row.animate([{ translate: `0 ${distance}px` }, { translate: '0 0' }], { duration: SLIDE_MS, easing: 'ease-out' });
    }
    places.current = next;
  });
  return list;
}
