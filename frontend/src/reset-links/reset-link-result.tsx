import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { CopyField } from '@/ui/copy-field';
import { Note } from '@/ui/note';
import type { ResetLink } from './use-reset-link';

/** The link, to be copied now or never, or where it was mailed to. */
export function ResetLinkResult({ link }: { link: ResetLink }) {
  const { t } = useTranslation('reset-links');
  const timeZone = useTimeZone();
  const box = useRef<HTMLDivElement>(null);

  // What was pressed to make the link is gone; the focus goes on to the link itself.
  useEffect(() => {
    box.current?.querySelector('textarea')?.focus();
  }, [link]);

  const { path, mailedTo, kind } = link;
  const until = t('until', { at: formatDateTime(link.expiresAt, timeZone) });
  if (path === null) {
    return (
      <Note tone="ok" role="status" title={t('mailed', { address: mailedTo })}>
        {until}
      </Note>
    );
  }
  return (
    <div ref={box} className="flex flex-col gap-3">
      <CopyField
        label={t('link')}
        hint={`${t(`asks.${kind}`)} ${until}`}
        text={new URL(path, window.location.origin).href}
      />
      <Note tone="warn">{t('once')}</Note>
    </div>
  );
}
