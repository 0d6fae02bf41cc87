import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import type { FormDescription, FormNotice, FormPicture } from './queries';
import { usePicture } from './use-picture';

type Signature = NonNullable<FormDescription['signature']>;
type Photos = NonNullable<FormDescription['photos']>;

function Signed({ signature }: { signature: Signature }) {
  const { label, picture, absent, name, details, marks } = signature;
  return (
    <section aria-label={label} className="break-inside-avoid">
      <p className="text-caps text-muted">{label}</p>
      <div className="mt-1 flex h-24 items-end justify-center border-b border-fg pb-1">
        {picture ? (
          <PaperPicture picture={picture} className="object-contain" />
        ) : (
          <span className="text-sm text-muted">{absent}</span>
        )}
      </div>
      <p className="mt-1 text-sm font-semibold wrap-anywhere">
        <bdi>{name}</bdi>
      </p>
      {details.map((detail) => (
        <p key={detail} className="text-caps text-muted">
          {detail}
        </p>
      ))}
      <PaperMarks marks={marks} />
    </section>
  );
}

function Strip({ photos }: { photos: Photos }) {
  const { label, pictures, more } = photos;
  return (
    <section aria-label={label}>
      <p className="text-caps text-muted">{label}</p>
      <ul className="mt-1 grid grid-cols-3 gap-2 @max-lg:grid-cols-2">
        {pictures.map((picture) => (
          <li key={picture.attachmentId} className="min-w-0 break-inside-avoid text-caps">
            <div className="aspect-4/3 overflow-hidden rounded-box border border-line2">
              {/* Whole, since nothing can be enlarged on paper. */}
              <PaperPicture picture={picture} className="object-contain" />
            </div>
            <p className="mt-1 wrap-anywhere">
              <bdi>{picture.caption}</bdi>
            </p>
            {picture.details.map((detail) => (
              <p key={detail} className="text-muted">
                {detail}
              </p>
            ))}
            <PaperMarks marks={picture.marks} />
          </li>
        ))}
      </ul>
      {more && <p className="mt-1 text-xs">{more}</p>}
    </section>
  );
}

/** The signature, the pictures, and the names of other attachments. */
export function PaperProof({ description }: { description: FormDescription }) {
  const { signature, photos, files } = description;
  return (
    <>
      {(signature || photos) && (
        <div className="grid grid-cols-[240px_minmax(0,1fr)] gap-x-6 gap-y-4 pb-4 @max-lg:grid-cols-1">
          {signature && <Signed signature={signature} />}
          {photos && <Strip photos={photos} />}
        </div>
      )}
      {files && (
        <PaperNotices notices={[{ lead: files.label, text: '', urgent: false }, ...files.files]} />
      )}
    </>
  );
}

/** A label in an outlined box, which stays visible on a black-and-white print. */
export function PaperMark({ children }: { children: string }) {
  return (
    <span className="inline-flex items-center rounded-full border border-fg px-2 text-caps font-semibold whitespace-nowrap">
      {children}
    </span>
  );
}

export function PaperMarks({ marks }: { marks: readonly string[] }) {
  if (marks.length === 0) return null;
  return (
    <span className="mt-1 flex flex-wrap gap-1">
      {marks.map((mark) => (
        <PaperMark key={mark}>{mark}</PaperMark>
      ))}
    </span>
  );
}

/** Framed notices, each with a label. */
export function PaperNotices({ notices }: { notices: readonly FormNotice[] }) {
  if (notices.length === 0) return null;
  return (
    <div
      className={cn(
        'my-4 flex break-inside-avoid flex-col gap-1 rounded-box border px-3 py-2 text-xs',
        notices.some(({ urgent }) => urgent) ? 'border-fg' : 'border-line2',
      )}
    >
      {notices.map(({ lead, text }) => (
        <p key={`${lead} ${text}`} className="wrap-anywhere whitespace-pre-line">
          <span className="font-semibold">{lead}</span> <bdi>{text}</bdi>
        </p>
      ))}
    </div>
  );
}

interface PaperPictureProps {
  picture: FormPicture;
  className?: string;
}

const stand = 'flex h-full w-full flex-wrap items-center justify-center gap-1.5 p-1 text-caps text-muted';

/** A picture on the form, or the reason why it cannot be shown. */
function PaperPicture({ picture, className }: PaperPictureProps) {
  const { t } = useTranslation(['delivery-forms', 'common']);
  const { file, renew } = usePicture(picture);
  const [isBroken, setBroken] = useState(false);
  if (!file) {
    return <span data-loading className={stand} aria-label={t('pictures.loading')} role="img" />;
  }
  if (file.status === 'unavailable') {
    // Counts as loading, so that the form is not printed without the picture.
    return (
      <span data-loading className={stand}>
        <ImageOff aria-hidden className="size-4 shrink-0" />
        {t('pictures.unavailable')}
        <Button size={28} className="print:hidden" onClick={renew}>
          {t('common:retry')}
        </Button>
      </span>
    );
  }
  if (file.status !== 'ready' || isBroken) {
    return (
      <span className={stand}>
        <ImageOff aria-hidden className="size-4 shrink-0" />
        {file.status === 'damaged' ? picture.damaged : picture.unreadable}
      </span>
    );
  }
  return (
    <img
      src={file.address}
      alt={picture.alt}
      onError={() => setBroken(true)}
      className={cn('h-full w-full', className)}
    />
  );
}
