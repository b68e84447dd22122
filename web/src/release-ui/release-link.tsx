import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface ReleaseLinkProps {
  readonly id: string;
  readonly children: ReactNode;
}

/** A link to the screen of a release of the open workspace. */
export function ReleaseLink({ id, children }: ReleaseLinkProps) {
  const { org } = useParams({ from: '/session/w/$org' });
  return (
    <Link to="/w/$org/releases/$id" params={{ org, id }}>
      {children}
    </Link>
  );
}
