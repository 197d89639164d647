package main

// binaryExtensions make a file suspect of being binary: the reference's list
// (spec/binary-extensions.txt), with a blank around each word.
const binaryExtensions = " " +
	"3ds 7z aac accdb aif aiff alac ape arrow avi avif avro bin blend bmp bz2 cab class com cr2 cr3 " +
	"dae db dbf dll dmg dng doc docx dwf dwg dxb eot epub exe fbx fit fits flac flv fw gba gif glb " +
	"gz hdf5 heic heif ico img iso jar jfif jp2 jpeg jpg jxl lz lz4 lzma m4a m4v mat mdb mid midi " +
	"mkv mobi mov mp3 mp4 mpeg mpg msi n64 nds nef nes npy npz o odt ogg ogv opus orf otf pages pak " +
	"parquet pcap pcapng pdf png ppt pptx psd pyc pyo qcow2 rar raw rom sav sfc shp shx smc so " +
	"sqlite sqlite3 step stl stp tar tif tiff ttc ttf usdz vdi vhd vmdk wasm wav webm webp wma wmv " +
	"woff woff2 xcf xls xlsx xz z zip zst "
