# doc/manual/local.mk - the manual out of its Texinfo sources.
#
#   make info          quern.info, which plain make makes, too, where there is a makeinfo
#   make html          quern.html/index.html
#   make pdf           quern.pdf, where there is a TeX
#
# Not info_TEXINFOS: its rules want makeinfo for everything, and write into the sources.

manual_chapters = $(wildcard $(srcdir)/doc/manual/*.texi)
manual_main = $(srcdir)/doc/manual/quern.texi
CLEANFILES += quern.info quern.pdf

if HAVE_MAKEINFO
manualinfodir = $(infodir)
manualinfo_DATA = quern.info
quern.info: $(manual_chapters)
	$(AM_V_GEN)makeinfo --no-split -o $@ $(manual_main)
info-local: quern.info
html-local: quern.html/index.html
quern.html/index.html: $(manual_chapters)
	$(AM_V_GEN)rm -rf quern.html && makeinfo --html -o quern.html $(manual_main)
else
info-local html-local:
	@echo 'the manual is not made: there is no makeinfo (Debian: texinfo)'
endif

pdf-local:
	@if test $(HAVE_TEX) = no; then echo 'quern.pdf is not made: there is no pdftex (Debian: texlive-plain-generic) or no texi2dvi (texinfo)'; \
	else $(MAKE) $(AM_MAKEFLAGS) quern.pdf; fi
quern.pdf: $(manual_chapters)
	$(AM_V_GEN)texi2dvi --pdf --quiet --build=tidy --build-dir=quern.t2d -o $@ $(manual_main)
