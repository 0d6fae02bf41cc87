import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { formatBytes } from '@/lib/numbers';
import { Fact, Facts } from '@/ui/facts';
import { AttachmentMarks } from './attachment-marks';
import { formatPoint } from './place';
import type { Attachment } from './queries';

/** Where a file comes from, and how to tell that it is still the same. */
export function AttachmentFacts({ attachment }: { attachment: Attachment }) {
  const { t } = useTranslation(['proof', 'common']);
  const timeZone = useTimeZone();
  const { width, height, point } = attachment;
  const none = t('none', { ns: 'common' });
  return (
    <div className="py-4">
      <div className="mb-3 flex flex-wrap gap-1.5 empty:hidden">
        <AttachmentMarks attachment={attachment} />
      </div>
      <Facts columns={3}>
        <Fact label={t('capturedAt')} value={formatDateTime(attachment.capturedAt, timeZone)} />
        <Fact label={t('receivedAt')} value={formatDateTime(attachment.receivedAt, timeZone)} />
        <Fact
          label={t('capturedBy')}
          value={t('byFrom', {
            by: attachment.capturedBy,
            source: t(`source.${attachment.source}`),
          })}
        />
        <Fact label={t('file')} value={attachment.filename} />
        <Fact
          label={t('size')}
          value={[
            formatBytes(attachment.sizeBytes),
            width && height && t('pixels', { width, height }),
          ]
            .filter(Boolean)
            .join(' · ')}
        />
        <Fact label={t('place')} value={point && formatPoint(point)} empty={none} />
        {attachment.note && <Fact wide label={t('note')} value={attachment.note} />}
        <Fact
          wide
          label={t('sha256')}
          value={<span className="font-mono text-xs break-all">{attachment.sha256}</span>}
        />
      </Facts>
    </div>
  );
}
