import { Clock, History } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, formatTime } from '@/lib/dates';
import { isLate } from '@/proof/attachment-text';
import type { Attachment } from '@/proof/queries';
import { useAttachmentName } from '@/proof/use-attachment-name';
import type { FormContent } from '../queries';
import { PaperMark } from './paper-mark';
import { PaperPicture } from './paper-picture';

interface PaperEvidenceProps {
  content: FormContent;
  withPhotos: boolean;
  timeZone: string;
}

function Marks({ attachment }: { attachment: Attachment }) {
  const { t } = useTranslation('forms');
  return (
    <>
      {attachment.addedAfterCompletion && (
        <PaperMark icon={History}>{t('marks.addedLater')}</PaperMark>
      )}
      {isLate(attachment) && <PaperMark icon={Clock}>{t('marks.late')}</PaperMark>}
    </>
  );
}

/** Who signed for it, and the pictures of it. */
export function PaperEvidence({ content, withPhotos, timeZone }: PaperEvidenceProps) {
  const { t } = useTranslation(['forms', 'common']);
  const nameOf = useAttachmentName();
  const { delivery, attachments } = content;
  const { receivedBy, receivedByRelation } = delivery;
  const signatures = attachments.filter(({ kind }) => kind === 'signature');
  // The one that was signed last counts; the others are in the proof of the delivery.
  const signature = signatures.at(-1);
  const files = attachments.filter(({ kind }) => kind !== 'signature');
  const signed = signature && t('signed', { at: formatDateTime(signature.capturedAt, timeZone) });
  const relation = receivedByRelation && t(`relation.${receivedByRelation}`);
  if (!receivedBy && !signature && files.length === 0) return null;
  return (
    <div className="grid grid-cols-[240px_minmax(0,1fr)] gap-x-6 gap-y-4 pb-4 @max-lg:grid-cols-1">
      <section aria-label={t('recipient')} className="break-inside-avoid">
        <p className="text-caps text-muted">{t(signature ? 'received' : 'recipient')}</p>
        <div className="mt-1 flex h-24 items-end justify-center border-b border-fg pb-1">
          {signature && (
            <PaperPicture
              attachment={signature}
              alt={t('signatureOf', { name: receivedBy ?? t('recipient') })}
              className="object-contain"
            />
          )}
        </div>
        <p className="mt-1 text-sm font-semibold wrap-anywhere">
          {receivedBy ?? <span className="font-normal text-muted">{t('noName')}</span>}
        </p>
        <p className="text-caps text-muted">{[relation, signed].filter(Boolean).join(' · ')}</p>
        {signature && (
          <p className="mt-1 flex flex-wrap gap-1">
            <Marks attachment={signature} />
          </p>
        )}
      </section>
      {withPhotos && files.length > 0 && (
        <section aria-label={t('photos')}>
          <p className="text-caps text-muted">{t('photos')}</p>
          <ul className="mt-1 grid grid-cols-3 gap-2 @max-lg:grid-cols-2">
            {files.map((file, index) => (
              <li key={file.id} className="min-w-0 break-inside-avoid text-caps text-muted">
                <div className="aspect-4/3 overflow-hidden rounded-box border border-line2">
                  <PaperPicture attachment={file} alt={nameOf(file)} className="object-cover" />
                </div>
                <p className="mt-1 wrap-anywhere">
                  {t('photoLine', {
                    number: index + 1,
                    name: nameOf(file),
                    time: formatTime(file.capturedAt, timeZone),
                  })}
                  {file.note && <span className="block text-fg">{file.note}</span>}
                </p>
                <p className="flex flex-wrap gap-1 text-fg">
                  <Marks attachment={file} />
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
