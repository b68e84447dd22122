import { Heading } from '@primer/react';
import { useEffect, useRef, type ReactNode } from 'react';

interface PartHeadProps {
  /** The link to the list that contains it. */
  readonly back: ReactNode;
  readonly children: ReactNode;
}

/** The heading of something that was opened in a tab. It gets the focus, because the heading of the release stays above it. */
export function PartHead({ back, children }: PartHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <p>{back}</p>
      <Heading as="h2" variant="medium" ref={heading} tabIndex={-1}>
        {children}
      </Heading>
    </>
  );
}
