import { LinkExternalIcon } from '@primer/octicons-react';
import { LinkButton } from '@primer/react';
import { createLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Whether a link from the API is safe to follow. A dashboard without TLS may link to a GitHub without TLS. */
const isSafe = (href: string): boolean => {
  const protocol = URL.parse(href)?.protocol;
  return protocol === 'https:' || (protocol === 'http:' && location.protocol === 'http:');
};

/** A link to a page outside of the dashboard. An unsafe or absent address leaves the text without a link. */
export function ExternalLink({
  href,
  children,
}: {
  readonly href: string | null | undefined;
  readonly children: ReactNode;
}) {
  if (href === null || href === undefined || !isSafe(href)) return <span>{children}</span>;
  return (
    <a href={href} rel="noopener noreferrer">
      {children} <LinkExternalIcon size={12} />
    </a>
  );
}

/** A button that leads to another screen. */
export const ButtonLink = createLink(LinkButton);

/** A button that leads to a page outside of the dashboard. Nothing if the address is unsafe or absent. */
export function ExternalButton({ href, children }: { readonly href: string | null; readonly children: ReactNode }) {
  if (href === null || !isSafe(href)) return null;
  return (
    <LinkButton href={href} rel="noopener noreferrer" trailingVisual={LinkExternalIcon}>
      {children}
    </LinkButton>
  );
}

const SHA_LENGTH = 7;

interface ShaProps {
  readonly sha: string;
  readonly href?: string | null;
  /** Shows all digits, for a reader who compares them. */
  readonly isWhole?: boolean;
}

/** A commit by the start of its hash, with a link to GitHub if the address is known. */
export function Sha({ sha, href, isWhole = false }: ShaProps) {
  const code = isWhole ? (
    <code>{sha}</code>
  ) : (
    <code title={sha} className="one-line">
      {sha.slice(0, SHA_LENGTH)}
    </code>
  );
  return href ? <ExternalLink href={href}>{code}</ExternalLink> : code;
}
