import { useTranslation } from 'react-i18next';
import { DateTime } from '@/ui/date-time';
import { Tag } from '@/ui/tag';
import type { MyAnnouncement } from './queries';
import { SeverityLabel } from './severity-label';

interface AnnouncementCardProps {
  announcement: Pick<MyAnnouncement, 'title' | 'message' | 'severity' | 'startsAt' | 'endsAt'>;
  isNew?: boolean;
}

/** An announcement as those it concerns read it. */
export function AnnouncementCard({ announcement, isNew = false }: AnnouncementCardProps) {
  const { t } = useTranslation('shell');
  const { title, message, severity, startsAt, endsAt } = announcement;
  const at = (instant: string) => (
    <DateTime instant={instant} />
  );
  return (
    <article className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <SeverityLabel severity={severity} className="text-xs" />
        {isNew && <Tag tone="accent">{t('announcements.new')}</Tag>}
      </div>
      <h3 className="text-sm font-semibold wrap-anywhere">{title}</h3>
      <p className="text-sm wrap-anywhere">{message}</p>
      <p className="text-xs text-muted">
        {t('announcements.since')} {at(startsAt)}
        {endsAt && (
          <>
            {' '}
            {t('announcements.until')} {at(endsAt)}
          </>
        )}
      </p>
    </article>
  );
}
