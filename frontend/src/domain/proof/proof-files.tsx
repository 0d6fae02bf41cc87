import { Maximize2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatTime } from '@/lib/dates';
import { lazyPart } from '@/ui/lazy-part';
import { AttachmentMarks, AttachmentPicture, useAttachmentName } from './attachments';
import type { Attachment } from './queries';

const AttachmentViewer = lazyPart(() => import('./attachment-viewer'), ({ onClose }) => onClose());

/** Thumbnails of attachments; each opens in a viewer to page through. */
export function PhotoStrip({ attachments }: { attachments: readonly Attachment[] }) {
  const { t } = useTranslation('proof');
  const timeZone = useTimeZone();
  const nameOf = useAttachmentName();
  const [openId, setOpenId] = useState<string>();

  return (
    <>
      <ul aria-label={t('files')} className="grid grid-cols-3 gap-2">
        {attachments.map((attachment) => {
          const label = t('enlarge', {
            name: nameOf(attachment),
            time: formatTime(attachment.capturedAt, timeZone),
          });
          return (
            <li key={attachment.id} className="flex min-w-0 flex-col gap-1">
              <button
                type="button"
                aria-label={label}
                data-tip={label}
                onClick={() => setOpenId(attachment.id)}
                className="group relative aspect-3/2 overflow-hidden rounded-control border border-line bg-raised"
              >
                <AttachmentPicture attachment={attachment} alt="" className="object-cover" />
                <span
                  aria-hidden
                  className="absolute end-1 bottom-1 flex size-6 items-center justify-center rounded-box bg-inverse text-inverse-fg opacity-80 group-hover:opacity-100"
                >
                  <Maximize2 className="size-3.5" />
                </span>
              </button>
              <span className="text-xs text-muted tabular-nums">
                {nameOf(attachment)} {formatTime(attachment.capturedAt, timeZone)}
              </span>
              <AttachmentMarks attachment={attachment} />
            </li>
          );
        })}
      </ul>
      {openId !== undefined && (
        <Suspense>
          <AttachmentViewer
            attachments={attachments}
            id={openId}
            onShow={setOpenId}
            onClose={() => setOpenId(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

/** Signatures have a white background in both themes. */
export function SignatureBox({ attachment }: { attachment: Attachment }) {
  const { t } = useTranslation('proof');
  const timeZone = useTimeZone();
  const [isOpen, setOpen] = useState(false);
  const label = t('enlarge', {
    name: t('kind.signature'),
    time: formatTime(attachment.capturedAt, timeZone),
  });
  return (
    <>
      <button
        type="button"
        aria-label={label}
        data-tip={label}
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
