import {
  ChevronLeft,
  ChevronRight,
  ExternalLink,
  RotateCcw,
  RotateCw,
  ZoomIn,
  ZoomOut,
} from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { downloadLink } from '@/lib/download-link';
import { formatBytes } from '@/lib/numbers';
import { Button, IconButton } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Fact, Facts } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { formatLocation } from '../location';
import { AttachmentMarks, AttachmentPicture, isPicture, useAttachmentName } from './attachments';
import type { Attachment } from './queries';
import { presign } from './stored-file';

interface AttachmentViewerProps {
  attachments: readonly Attachment[];
  id: string;
  onShow: (id: string) => void;
  onClose: () => void;
}

const ZOOMS = [1, 1.5, 2, 3, 4] as const;

/** Shows one attachment in full size with zoom, rotation and details. */
export default function AttachmentViewer(props: AttachmentViewerProps) {
  const { attachments, id, onShow, onClose } = props;
  const { t } = useTranslation('proof');
  const nameOf = useAttachmentName();
  const index = attachments.findIndex((attachment) => attachment.id === id);
  const attachment = attachments[index];
  if (!attachment) return null;
  const previous = attachments[index - 1];
  const next = attachments[index + 1];

  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent
        width={960}
        title={nameOf(attachment)}
        description={t('position', { position: index + 1, total: attachments.length })}
      >
        <Stage attachment={attachment}>
          {attachments.length > 1 && (
            <>
              <IconButton
                icon={ChevronLeft}
                label={t('previous')}
                disabled={!previous}
                onClick={() => previous && onShow(previous.id)}
              />
              <IconButton
                icon={ChevronRight}
                label={t('next')}
                disabled={!next}
                onClick={() => next && onShow(next.id)}
              />
            </>
          )}
        </Stage>
      </DialogContent>
    </Dialog>
  );
}

interface StageProps {
  attachment: Attachment;
  /** Buttons that are placed before the picture tools. */
  children: React.ReactNode;
}

function Stage({ attachment, children }: StageProps) {
  const { t } = useTranslation('proof');
  const nameOf = useAttachmentName();
  const [view, setView] = useState({ id: attachment.id, zoom: 0, angle: 0 });
  // Each file starts upright and as a whole. A key on the stage would do so too, but drop the focus of its buttons.
  const { zoom, angle } = view.id === attachment.id ? view : { zoom: 0, angle: 0 };
  const look = (changes: Partial<typeof view>) => setView({ id: attachment.id, zoom, angle, ...changes });
  const factor = ZOOMS[zoom] ?? 1;
  const isTurned = angle % 180 !== 0;
  // A rotated picture must fit as well. Its width is then limited by the height of the stage.
  const [width, height] = isTurned ? ['100cqh', '100cqw'] : ['100cqw', '100cqh'];

  return (
    <>
      <div className="flex flex-wrap items-center gap-1 pb-2">
        {children}
        {isPicture(attachment) && (
          <>
            <IconButton
              icon={ZoomOut}
              label={t('zoomOut')}
              disabled={zoom === 0}
              onClick={() => look({ zoom: zoom - 1 })}
            />
            <span aria-live="polite" className="w-11 text-center text-xs text-muted tabular-nums">
              {t('zoom', { percent: factor * 100 })}
            </span>
            <IconButton
              icon={ZoomIn}
              label={t('zoomIn')}
              disabled={zoom === ZOOMS.length - 1}
              onClick={() => look({ zoom: zoom + 1 })}
            />
            <IconButton
              icon={RotateCcw}
              label={t('turnLeft')}
              onClick={() => look({ angle: angle - 90 })}
            />
            <IconButton
              icon={RotateCw}
              label={t('turnRight')}
              onClick={() => look({ angle: angle + 90 })}
            />
          </>
        )}
        <OpenOriginal url={attachment.url} />
      </div>
      <div
        key={attachment.id}
        role="region"
        aria-label={t('picture')}
        tabIndex={0}
        className="[container-type:size] h-[min(56dvh,560px)] overflow-auto rounded-control border border-line bg-raised focus-visible:-outline-offset-2"
      >
        <div
          className="relative"
          style={{ width: `calc(${factor} * 100cqw)`, height: `calc(${factor} * 100cqh)` }}
        >
          <div
            className="absolute top-1/2 left-1/2"
            style={{
              width: `calc(${factor} * ${width})`,
              height: `calc(${factor} * ${height})`,
              transform: `translate(-50%, -50%) rotate(${angle}deg)`,
            }}
          >
            <AttachmentPicture
              attachment={attachment}
              alt={nameOf(attachment)}
              className="object-contain"
            />
          </div>
        </div>
      </div>
      <AttachmentFacts attachment={attachment} />
    </>
  );
}

/** Requests the link at the click, because links expire while the viewer is open. */
function OpenOriginal({ url }: Pick<Attachment, 'url'>) {
  const { t } = useTranslation('proof');
  const client = useClient();
  const [isBusy, setBusy] = useState(false);

  async function open() {
    setBusy(true);
    const file = await presign(client, url);
    setBusy(false);
    if (file.status === 'ready') downloadLink(file.address);
    else toast.error(t(`notOpened.${file.status}`));
  }

  return (
    <Button
      variant="quiet"
      icon={ExternalLink}
      disabled={isBusy}
      className="ms-auto"
      onClick={() => void open()}
    >
      {t('open')}
    </Button>
  );
}

/** Origin and checksum of a file. */
function AttachmentFacts({ attachment }: { attachment: Attachment }) {
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
        <Fact label={t('place')} value={point && formatLocation(point)} empty={none} />
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
