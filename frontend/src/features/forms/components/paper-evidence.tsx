import type { FormDescription } from '../queries';
import { PaperMarks } from './paper-mark';
import { PaperNotices } from './paper-notices';
import { PaperPicture } from './paper-picture';

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
              <PaperPicture picture={picture} className="object-cover" />
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

/** Who signed for it, the pictures of it, and the names of other files. */
export function PaperEvidence({ description }: { description: FormDescription }) {
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
