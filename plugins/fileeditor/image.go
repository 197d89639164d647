package main

import "github.com/ohhost/ohhost/abi"

// imageTypes are the names that are shown as an image, whatever the bytes are.
var imageTypes = [...][2]string{
	{".png", "image/png"}, {".jpg", "image/jpeg"}, {".jpeg", "image/jpeg"},
	{".gif", "image/gif"}, {".webp", "image/webp"}, {".bmp", "image/bmp"},
}

// imageType returns the media type of a file with an image's name, else "".
func imageType(path string) string {
	ext := suffix(path)
	for _, t := range imageTypes {
		if t[0] == ext {
			return t[1]
		}
	}
	return ""
}

// viewImage shows a file as an image.
func (e *editor) viewImage(mime string) (*abi.Result, error) {
	f, err := e.files.Read(e.path, maxSize)
	if err != nil {
		return nil, e.fileError(err, ranIntoRead)
	}
	res := e.result("Image file "+e.path+" read successfully. Displaying image content.", false)
	image := f.Data
	if image == nil {
		image = []byte{} // an empty file is an empty image
	}
	res.Content = append(res.Content, abi.Part{Image: image, MIME: mime})
	return res, nil
}
