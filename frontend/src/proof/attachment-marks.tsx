import { Clock, History } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Tag } from '@/ui/tag';
import { isLate } from './attachment-text';
import type { Attachment } from './queries';

/** What whoever relies on a file has to know of it. */
export function AttachmentMarks({ attachment }: { attachment: Attachment }) {
  const { t } = useTranslation('proof');
  return (
    <>
      {attachment.addedAfterCompletion && (
        <Tag tone="warn" icon={History}>
          {t('addedLater')}
        </Tag>
      )}
      {isLate(attachment) && (
        <Tag tone="warn" icon={Clock}>
          {t('late')}
        </Tag>
      )}
    </>
  );
}
