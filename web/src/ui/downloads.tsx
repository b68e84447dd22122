import { DownloadIcon } from '@primer/octicons-react';
import { LinkButton } from '@primer/react';
import classes from './downloads.module.css';

interface DownloadsProps {
  /** The content of the files, for example "Export 4 releases". */
  readonly label: string;
  readonly files: readonly { readonly format: string; readonly href: string }[];
}

/** Links to the same content in several formats. The browser streams the files. */
export function Downloads({ label, files }: DownloadsProps) {
  return (
    <div className={classes['downloads']}>
      <span>{label}</span>
      {files.map(({ format, href }) => (
        <LinkButton
          key={format}
          size="small"
          href={href}
          download=""
          leadingVisual={DownloadIcon}
          aria-label={`${label}: ${format}`}
        >
          {format}
        </LinkButton>
      ))}
    </div>
  );
}
