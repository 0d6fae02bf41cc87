import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatTime } from '@/lib/dates';
import { lazyPart } from '@/ui/lazy-part';
import { AttachmentPicture } from './attachment-picture';
import type { Attachment } from './queries';

const AttachmentViewer = lazyPart(() => import('./attachment-viewer'), ({ onClose }) => onClose());

/** A signature is ink on paper: white in either theme. */
export function SignatureBox({ attachment }: { attachment: Attachment }) {
  const { t } = useTranslation('proof');
  const timeZone = useTimeZone();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label={t('enlarge', {
          name: t('kind.signature'),
          time: formatTime(attachment.capturedAt, timeZone),
        })}
        onClick={() => setOpen(true)}
        className="h-19 w-[158px] shrink-0 overflow-hidden rounded-control border border-line bg-logo-plate"
      >
        <AttachmentPicture attachment={attachment} alt="" className="object-contain" />
      </button>
      {isOpen && (
        <Suspense>
          <AttachmentViewer
            attachments={[attachment]}
            id={attachment.id}
            onShow={() => undefined}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
