import { useTranslation } from 'react-i18next';
import { SeverityLabel } from '@/announcements/severity-label';
import { formatCount } from '@/lib/numbers';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { Panel } from '@/ui/panel';
import type { Announcement } from '../queries';
import { Audience } from './audience';

export function AnnouncementFacts({ announcement }: { announcement: Announcement }) {
  const { t } = useTranslation('announcements');
  const { severity, startsAt, endsAt, seenCount, dismissible } = announcement;
  const { createdAt, createdBy, updatedAt, updatedBy } = announcement;
  const time = (at: string, by?: string) => (
    <>
      <DateTime instant={at} className="whitespace-nowrap" />
      {by && <span className="block text-xs text-muted">{t('view.by', { by })}</span>}
    </>
  );
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={4}>
        <Fact label={t('fields.severity')} value={<SeverityLabel severity={severity} />} />
        <Fact label={t('fields.audience')} value={<Audience announcement={announcement} />} />
        <Fact label={t('fields.startsAt')} value={time(startsAt)} />
        <Fact label={t('fields.endsAt')} value={endsAt && time(endsAt)} empty={t('noEnd')} />
        <Fact
          label={t('fields.seenCount')}
          value={t('view.seen', { count: seenCount, shown: formatCount(seenCount) })}
        />
        <Fact
          label={t('fields.dismissible')}
          value={t(dismissible ? 'view.dismissible' : 'view.notDismissible')}
        />
        <Fact label={t('fields.createdAt')} value={time(createdAt, createdBy)} />
        <Fact label={t('fields.updatedAt')} value={time(updatedAt, updatedBy)} />
      </Facts>
    </Panel>
  );
}
