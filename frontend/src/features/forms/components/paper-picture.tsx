import { FileText, ImageOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isPicture } from '@/proof/attachment-text';
import type { Attachment } from '@/proof/queries';
import { cn } from '@/ui/cn';
import { usePicture } from '../use-picture';

interface PaperPictureProps {
  attachment: Attachment;
  alt: string;
  className?: string;
}

const stand = 'flex h-full w-full items-center justify-center gap-1.5 p-1 text-caps text-muted';

/** A kept picture on the paper, or the name of a file that is none. */
export function PaperPicture(props: PaperPictureProps) {
  if (isPicture(props.attachment)) return <LoadedPicture {...props} />;
  return (
    <span className={stand}>
      <FileText aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{props.attachment.filename}</span>
    </span>
  );
}

function LoadedPicture({ attachment, alt, className }: PaperPictureProps) {
  const { t } = useTranslation('forms');
  const picture = usePicture(attachment);
  const [isBroken, setBroken] = useState(false);
  if (picture.status === 'loading') {
    return <span data-loading className={stand} aria-label={t('pictures.loading')} role="img" />;
  }
  if (picture.status === 'failed' || isBroken) {
    return (
      <span className={stand}>
        <ImageOff aria-hidden className="size-4 shrink-0" />
        <span className="sr-only">{alt}: </span>
        {t('pictures.failed')}
      </span>
    );
  }
  return (
    <img
      src={picture.address}
      alt={alt}
      onError={() => setBroken(true)}
      className={cn('h-full w-full', className)}
    />
  );
}
