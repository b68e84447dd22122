import { Heading } from '@primer/react';
import { useEffect, useRef, type ReactNode } from 'react';
import { landOn } from '../../ui/land-on.js';

interface PartHeadProps {
  /** The subject that a hash of the URL names. */
  readonly id?: string | undefined;
  /** The link to the list that contains it. */
  readonly back: ReactNode;
  readonly children: ReactNode;
}

/**
 * The heading of something that was opened in a tab. The screen opens at it, because the heading of the release stays above it. If the URL
 * names a subject, the screen opens there.
 */
export function PartHead({ id, back, children }: PartHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => (heading.current && location.hash === '' ? landOn(heading.current) : undefined), []);
  return (
    <>
      <p>{back}</p>
      <Heading as="h2" variant="medium" ref={heading} id={id} tabIndex={-1}>
        {children}
      </Heading>
    </>
  );
}
